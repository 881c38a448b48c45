// A run that blocks its thread for ever, in the way that is asked for, with the stop signal of the command.
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { textLog } from '../../../dist/cli/report/text-log.js';
import { stopSignal } from '../../../dist/cli/signals/stop-signal.js';
import { removeAtExit } from '../../../dist/formats/files/remove-at-exit.js';

const [, , way, seconds, log, temporary] = process.argv;
const backtrack = () => /^(a+)+$/.test(`${'a'.repeat(100)}b`);

const blocks = {
  loop: () => {
    while (true);
  },
  pattern: backtrack,
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  wasm: () => {
    // (module (func (export "f") (loop (br 0))))
    const text = 'AGFzbQEAAAABBAFgAAADAgEABwUBAWYAAAoJAQcAA0AMAAsL';
    const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(text, 'base64')));
    instance.exports.f();
  },
  threads: () => {
    new Worker(`(${backtrack})()`, { eval: true });
    backtrack();
  },
  // A call of the system that does not return.
  system: () => openSync(`${temporary}.fifo`, 'r'),
};

const report = { log: textLog('info'), status: undefined, logging: { log, logLevel: 'info' } };
const stop = stopSignal(report, Number(seconds));
writeFileSync(temporary, '');
removeAtExit(temporary);
const started = once(process, 'worker');
channel('tagstream:large-record').publish(1e9);
const [watchdog] = await started;
await once(watchdog, 'message');
writeFileSync(1, 'blocking\n');
blocks[way]();
stop.dispose();
