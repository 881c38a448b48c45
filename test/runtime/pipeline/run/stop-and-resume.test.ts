import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
// Each word that comes once more reaches the cutoff.
const records = toyRecords(3001).map((line, i) => {
  const word = line.replace('"the"', `"w${(i * 7) % 900}"`);
  // Every third is labelled in part, and counts twice.
  return i % 3 === 0 ? word.replace('"NOUN"', 'null').replace('{', '{"weight":2,') : word;
});
writeFileSync(path('stream.ndjson'), `${records.join('\n')}\n`);

const text = `version: 1
name: stream
source: { ndjson: { files: [stream.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "B"], cutoff: 3 }
  - batch: { sentences: 5 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1, schedule: constant } }
  - checkpoint: { dir: checkpoints, sentences: 100 }
train: { corpusSize: 1000 }
model: stream.model
`;

/** Runs the stream, and stops it once its first chunk has been learned from, if asked to. */
async function run(
  options: { resume?: boolean; stop?: boolean } = {},
  pipeline = text,
): Promise<number> {
  const controller = new AbortController();
  const { sentencesSeen } = await runPipeline(parsePipeline(pipeline, path('stream.yaml')), {
    resume: options.resume ?? false,
    deadLetters: new DeadLetters({ policy: 'fail' }),
    signal: controller.signal,
    events: {
      onStep: () => {
        // What is emitted of a chunk is emitted at once: sentences wait for their minibatch then.
        if (options.stop === true) setImmediate(() => controller.abort());
      },
    },
  });
  return sentencesSeen;
}

const replays = (from: string, sentences: number) =>
  text.replace(
    'batch: { sentences: 5 }',
    `batch: { sentences: ${sentences} }\n  - replay: { keep: 200, from: ${from}, each: 2 }`,
  );

for (const { rows, tags } of everyNth(4, [
  ['whose features are counted', text],
  ['with replays', replays('reservoir', 5)],
  ['with replays of what is in doubt, by sentence', replays('in-doubt', 1)],
  ['with replays of the last ones', replays('recent', 1)],
])) {
  it.each(rows)(
    'a stopped stream %s continues to the same bytes',
    { tags },
    async (_, pipeline) => {
      rmSync(path('checkpoints'), { recursive: true, force: true });
      expect(await run({}, pipeline)).toBe(3001);
      const whole = readFileSync(path('stream.model'));
      rmSync(path('checkpoints'), { recursive: true });
      const seen = await run({ stop: true }, pipeline);
      expect(seen).toBeGreaterThan(100);
      expect(seen).toBeLessThan(2000);
      expect(await run({ resume: true }, pipeline)).toBe(3001);
      expect(readFileSync(path('stream.model')).equals(whole)).toBe(true);
    },
  );
}

it('replays are refused where a corpus is gone over, and by several machines', () => {
  const replayed = replays('reservoir', 5);
  const refuse = (changed: string, problem: RegExp) =>
    expect(() => parsePipeline(changed, path('stream.yaml'))).toThrowError(problem);
  const passes = replayed.replace('corpusSize: 1000', 'epochs: 2');
  refuse(passes, /:7:5: .*replay: training in passes needs no replay/);
  const cluster = 'corpusSize: 1000, cluster: { stream: work, shards: 2, every: 100 }';
  refuse(replayed.replace('corpusSize: 1000', cluster), /in rounds, without replay/);
});

it('minibatches of tokens are refused where features are counted', { tags: 'slow' }, () => {
  const tokens = text.replace('batch: { sentences: 5 }', 'batch: { tokens: 50 }');
  expect(() => parsePipeline(tokens, path('stream.yaml'))).toThrowError(
    /a checkpoint would count its features \(set only sentences in batch/,
  );
});
