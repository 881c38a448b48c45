// How many bytes of each sentence of an endless stream are still there when the new space has been collected:
// what only a collection of the whole heap gives back. Run by endless-garbage.test.ts on what is built.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { getHeapSpaceStatistics } from 'node:v8';
import { DeadLetters } from '../../../dist/entries/io.js';
import { parsePipeline, runPipeline } from '../../../dist/index.js';
import { EndlessSentences } from './endless-sentences.mjs';

const warmUp = 4000;
const sentences = 12_000;
const index = {
  hashed: 'hashed: { rows: 16384, edgeRows: 256 }',
  pruned: 'prune: { every: 2000 }',
};
const text = `version: 1
name: garbage
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "U2:%suffix[0,0,2]", "B"], ${index[process.argv[2]]} }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd-l1: { eta0: 0.2, l1: 1, schedule: constant } }
  - evaluate: { progressive: true }
  - checkpoint: { dir: checkpoints, sentences: 100000, keep: 1 }
  - tag: {}
train: { corpusSize: 10000 }
sink: { only: unlabelled }
`;

function* lines() {
  const source = new EndlessSentences({ seed: 3 });
  for (let i = 0; i < sentences; i += 100) {
    const some = Array.from({ length: 100 }, () => `${JSON.stringify(source.next())}\n`);
    yield Buffer.from(some.join(''));
  }
}

function oldBytes() {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => ['old_space', 'large_object_space'].includes(name))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}

const folder = mkdtempSync(join(tmpdir(), 'tagstream-garbage-'));
let before = 0;
let after = 0;
try {
  await runPipeline(parsePipeline(text, join(folder, 'garbage.yaml')), {
    deadLetters: new DeadLetters({}),
    stdin: Readable.from(lines(), { objectMode: false, highWaterMark: 65_536 }),
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    events: {
      onStep: ({ sentencesSeen }) => {
        if (sentencesSeen === warmUp) {
          global.gc();
          before = oldBytes();
        }
        if (sentencesSeen === sentences) after = oldBytes();
      },
    },
  });
  console.log((after - before) / (sentences - warmUp));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
