// The long form of test/faults/memory/endless-vocabulary.test.ts, run by hand on what is built:
//
//   node --expose-gc test/faults/memory/long/endless-vocabulary.mjs [hashed|pruned|exact|online|...] [sentences]
//
// Labelled sentences with ever-new words go through the online pipeline: NDJSON in, progressive scores,
// checkpoints, unlabelled records out. Prints memory over time (after a full collection, with --expose-gc),
// and the rates of the first and the last tenth: by the wall clock, and by the processor's. `exact` is kept to the limit of
// a stream alone; `unsaved` is `pruned` without the stage checkpoint; `online` is pipelines/online.yaml as it stands.
// Ends with 1 where a record was rejected, or where memory has grown by more than a tenth since a fifth of the way.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DeadLetters } from '../../../../dist/entries/io.js';
import { loadPipeline, parsePipeline, runPipeline } from '../../../../dist/index.js';
import { EndlessSentences } from '../endless-sentences.mjs';

const features = {
  hashed: ', hashed: { rows: 131072, edgeRows: 256 }',
  pruned: ', prune: { every: 10000 }',
  unsaved: ', prune: { every: 10000 }',
  exact: '',
  online: '',
};
const mode = process.argv[2] ?? 'pruned';
const sentences = Number(process.argv[3] ?? 5_000_000);
if (!Object.hasOwn(features, mode) || !(sentences >= 100)) {
  console.error(
    'usage: endless-vocabulary.mjs hashed|pruned|unsaved|exact|online [sentences, from 100]',
  );
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'tagstream-endless-'));
const saved = '  - checkpoint: { dir: checkpoints, sentences: 10000, keep: 1 }\n';
const text = `version: 1
name: endless
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "U2:%suffix[0,0,2]", "B"]${features[mode]} }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd-l1: { eta0: 0.2, l1: 1, schedule: constant } }
  - evaluate: { progressive: true }
${mode === 'unsaved' ? '' : saved}  - tag: {}
train: { corpusSize: 10000 }
sink: { only: unlabelled }
`;

const online = fileURLToPath(new URL('../../../../pipelines/online.yaml', import.meta.url));
const settings = [
  `stages.checkpoint.dir=${join(folder, 'checkpoints')}`,
  'stages.evaluate.report=1000000',
];
const pipeline =
  mode === 'online'
    ? loadPipeline(online, { set: settings })
    : parsePipeline(text, join(folder, 'endless.yaml'));

/** A record, with a part of speech for each token, which follows from the end of its word. */
function record({ tokens, tags }) {
  const pos = tokens.map(token => token.slice(-2).toUpperCase());
  return `${JSON.stringify({ tokens, columns: { pos }, tags })}\n`;
}

/**
 * Comes by the event loop, as bytes of a pipe do: of a source that never waits, Node's queue of ticks is never
 * taken up, and grows by some hundred bytes a chunk.
 */
async function* lines() {
  const source = new EndlessSentences({ seed: 11 });
  for (let i = 0; i < sentences; ) {
    let chunk = '';
    for (let k = 0; k < 100 && i < sentences; k += 1, i += 1) {
      chunk += record(source.next());
    }
    yield Buffer.from(chunk);
    await new Promise(resume => setImmediate(resume));
  }
}

const mebibytes = bytes => (bytes / 2 ** 20).toFixed(1);
const every = Math.ceil(sentences / 20);
const times = [];
let warnings = 0;
let next = every;
let start;
/** Wall time and time of the processor, which other programs disturb less; in seconds. */
function clocks(seen) {
  const { user, system } = process.cpuUsage();
  return { seen, wall: Number(process.hrtime.bigint()) / 1e9, cpu: (user + system) / 1e6 };
}

function rates(from, to) {
  const count = to.seen - from.seen;
  return { wall: count / (to.wall - from.wall), cpu: count / (to.cpu - from.cpu) };
}

function sample(seen, accuracy) {
  const now = clocks(seen);
  const rate = rates(times.at(-1) ?? start, now);
  times.push(now);
  global.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  memory.push(rss);
  console.log(
    `${String(seen).padStart(9)} sentences  RSS ${mebibytes(rss).padStart(7)}  heap ${mebibytes(heapUsed).padStart(6)}  external ${mebibytes(external).padStart(6)} MiB  ${rate.cpu.toFixed(0).padStart(6)} sentences a CPU second  accuracy ${accuracy.toFixed(2)}`,
  );
}
const memory = [];
let evictions = 0;
const deadLetters = new DeadLetters({});
try {
  const result = await runPipeline(pipeline, {
    deadLetters,
    model: join(folder, 'endless.model'),
    stdin: Readable.from(lines(), { objectMode: false, highWaterMark: 65_536 }),
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    events: {
      onStep: step => {
        start ??= clocks(0);
        if (step.sentencesSeen < next) return;
        next += every;
        sample(step.sentencesSeen, step.scores?.accuracy ?? 0);
      },
      onEvicted: () => {
        evictions += 1;
      },
      onWarning: (_, message) => {
        warnings += 1;
        console.log(`warning: ${message}`);
      },
    },
  });
  times.unshift(start);
  const report = name => {
    const first = rates(times[0], times[2])[name];
    const last = rates(times.at(-3), times.at(-1))[name];
    return `first tenth ${first.toFixed(0)}, last tenth ${last.toFixed(0)} sentences a second of ${name} (${((100 * last) / first).toFixed(1)} %)`;
  };
  console.log(
    `${mode}: ${result.sentencesSeen} sentences, ${deadLetters.total} rejected, ${evictions} evictions, ${warnings} warnings; ${report('wall')}; ${report('cpu')}`,
  );
  const early = Math.max(...memory.slice(0, 4));
  const late = Math.max(...memory.slice(4));
  if (deadLetters.total > 0 || late > 1.1 * early) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
