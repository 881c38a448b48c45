import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tagstreamProcess } from '../../cli/commands/run-command.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 300);

// Workers read a corpus of 16 MiB and more: fields of others make the records long.
const data = join(folder, 'train.ndjson');
const lines = readFileSync(data, 'utf8').trim().split('\n');
const padding = `,"padding":"${'x'.repeat(60_000)}"}`;
writeFileSync(data, lines.map(line => `${line.slice(0, -1)}${padding}\n`).join(''));

it('ends with the cause when a worker that reads the corpus dies', async () => {
  const file = join(folder, 'preload.cjs');
  // Threads of the worker group have data; those that read have none, and get tasks by messages.
  writeFileSync(
    file,
    `const { isMainThread, parentPort, workerData } = require('node:worker_threads');
if (!isMainThread && workerData == null) {
  const { on } = parentPort;
  parentPort.on = (event, listener) =>
    on.call(parentPort, event, message => {
      if (event === 'message' && message.kind === 'task') throw new RangeError('no more of it');
      listener(message);
    });
}
`,
  );
  const env = { NODE_OPTIONS: `--require ${file}` };
  const { code, stderr } = await tagstreamProcess(['train', pipeline, '--workers', '2'], { env });
  expect(stderr).toMatch(/worker \d died: no more of it/);
  expect(code).toBe(1);
});
