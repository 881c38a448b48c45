import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { command } from '../processes/command.mjs';
import { measure } from '../processes/measure.mjs';
import { root } from '../processes/root.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';

/** Programs of the server; without it nothing is measured. */
const program = process.env.NATS_SERVER ?? 'nats-server';

/** Records in a message of about 64 kB. */
const together = 200;

const file = 'a file';

/**
 * Whole processes that tag the same records from a file and from a NATS stream into another, with the
 * server on this machine, beside a client that stores and acknowledges them without tagging. Processes on
 * streams end two seconds after the last record, which these rows contain.
 */
export async function streams({ folder, files, models, copies, runs, progress }) {
  if (spawnSync(program, ['--version']).error !== undefined) {
    progress(`${program} is not installed: streams are not measured`);
    return {};
  }
  const model = await models.ours('conll2000-sgd-l1');
  const records = files.input('ndjson', copies);
  const place = join(folder, 'nats');
  mkdirSync(place, { recursive: true });
  const server = await begin(place);
  try {
    const taggers = [];
    for (const [what, lines] of [
      ['messages of 64 kB', together],
      ['messages of one record', 1],
    ]) {
      const stream = `IN${lines}`;
      const pipeline = join(place, `${stream}.yaml`);
      writeFileSync(pipeline, tagging(server.url, stream, model, lines > 1));
      const put = ['cluster', 'put', pipeline, records, '--together', String(lines)];
      progress(`${what}, not measured`);
      await measure(command(...put));
      taggers.push({ what, command: again => command('run', pipeline, ...names(stream, again)) });
    }
    const client = join(root, 'test/house/bench/timed/stream-client.mjs');
    const tasks = [
      { what: file, command: () => command('tag', '--model', model, records) },
      ...taggers,
      {
        what: 'one record a message, client alone',
        command: again => [process.execPath, client, server.url, 'IN1', `CLIENT${again}`],
      },
    ];
    const named = tasks.map(task => ({ ...task, name: task.what, runs }));
    const outcomes = await runRounds(named, progress);
    const rows = tasks.map(({ what }) => ({ group: 'streams', what, ...outcomes.get(what) }));
    return { rows: against(rows, { [file]: rows }) };
  } finally {
    server.child.kill('SIGKILL');
  }
}

/** Every run reads by a consumer of its own into a stream of its own. */
function names(stream, again) {
  const output = `OUT${stream}${again}`;
  return [
    ...['--set', `source.ndjson.from.nats.consumer=taggers${again}`],
    ...['--set', `sink.to.nats.stream=${output}`, '--set', `sink.to.nats.subject=${output}`],
  ];
}

function tagging(url, stream, model, isTogether) {
  const input = { servers: url, stream, consumer: 'taggers', create: true, follow: false };
  const output = { servers: url, stream: 'OUT', subject: 'out', create: true };
  return JSON.stringify({
    version: 1,
    name: 'tagging',
    source: { ndjson: { from: { nats: input } } },
    stages: ['tokenize', { featurize: { model } }, { batch: { sentences: 64 } }, 'tag'],
    sink: { to: { nats: { ...output, ...(isTogether ? { together: true } : {}) } } },
  });
}

/** A server whose streams lie in a folder. */
async function begin(place) {
  const port = await freePort();
  const child = spawn(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', place], {
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  while (!(await listens(port))) await pause(50);
  return { url: `nats://127.0.0.1:${port}`, child };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

function listens(port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}
