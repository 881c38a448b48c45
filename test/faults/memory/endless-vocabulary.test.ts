// @module-tag slow
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lastValueFrom, Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { ExactIndex } from '../../../src/engine/features/index/exact-index.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { ProgressiveScores } from '../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import type { GrowthLimit } from '../../../src/engine/models/growth-limit.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import type { IndexSpec } from '../../../src/engine/models/model-spec.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { evaluateProgressive } from '../../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../src/engine/optimizers/sgd-l1.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { longForm } from '../long-form.js';
import { EndlessSentences } from './endless-sentences.mjs';

const templates =
  'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%suffix[0,0,2]\nU3:%x[-1,0]/%x[0,0]\nB\nB0:%shape[0,0]';
const sentences = 30_000;
const sampleEvery = 1000;
const pruneEvery = 2000;

/** What a run holds: rows and their memory, in bytes that are there, used or not. */
interface Sample {
  readonly rows: number;
  readonly rowsInUse: number;
  readonly tableEntries: number;
  readonly indexBytes: number;
  readonly parameterBytes: number;
  readonly creationTimeBytes: number;
}

function endless(count: number): Observable<Sentence> {
  return new Observable(subscriber => {
    const source = new EndlessSentences({ seed: 9, known: 800 });
    for (let i = 0; i < count && !subscriber.closed; i += 1) {
      const { tokens, tags } = source.next();
      subscriber.next(sentenceOf(tokens, { tags }));
    }
    subscriber.complete();
  });
}

interface Run {
  readonly samples: Sample[];
  readonly accuracy: number;
}

/** By sgd-l1, which prunes; with a limit by sgd with the settings of pipelines/online.yaml. */
async function run(index: IndexSpec, limit?: GrowthLimit): Promise<Run> {
  const model = createModel({ templates, index }, limit);
  const given = { loss: logLoss, corpusSize: pruneEvery };
  const learner =
    limit === undefined
      ? createOnlineLearner(model, {
          ...given,
          optimizer: sgdL1,
          options: { schedule: 'constant', eta0: 0.2, l1: 1 },
        })
      : createOnlineLearner(model, {
          ...given,
          optimizer: sgd,
          options: { schedule: 'constant', eta0: 0.1, l2: 0.5 },
        });
  const progress = new ProgressiveScores({ spanScheme: false });
  const samples: Sample[] = [];
  const steps = endless(sentences).pipe(
    featurize(model),
    batch({ sentences: 2 }),
    contribute(learner, { predict: true }),
    optimize(learner),
    evaluateProgressive(model, progress),
  );
  const watched = new Observable<number>(subscriber =>
    steps.subscribe({
      next: ({ sentencesSeen }) => {
        if (sentencesSeen % sampleEvery !== 0) return;
        const { stateIndex } = model;
        const exact = stateIndex instanceof ExactIndex ? stateIndex : undefined;
        samples.push({
          rows: stateIndex.size,
          rowsInUse: exact?.rowsInUse ?? stateIndex.size,
          tableEntries: exact?.capacity ?? 0,
          indexBytes: stateIndex.memory.buffer.byteLength,
          parameterBytes: model.parameters.memory.buffer.byteLength,
          creationTimeBytes: learner.save().arrays['births.state']?.byteLength ?? 0,
        });
        subscriber.next(sentencesSeen);
      },
      error: error => subscriber.error(error),
      complete: () => subscriber.complete(),
    }),
  );
  expect(await lastValueFrom(watched)).toBe(sentences);
  return { samples, accuracy: progress.decayed.scores(false).accuracy! };
}

const most = (samples: readonly Sample[], name: keyof Sample) =>
  Math.max(...samples.map(sample => sample[name]));

const tables: ReadonlySet<keyof Sample> = new Set(['tableEntries', 'indexBytes']);
const names = [
  'rows',
  'tableEntries',
  'indexBytes',
  'parameterBytes',
  'creationTimeBytes',
] as const;

describe(`${sentences} sentences with ever-new words`, () => {
  it('take no more rows and memory with pruning than their first third, and grow without', async () => {
    const pruned = await run({ mode: 'exact', cutoff: 1, pruneEvery });
    const whole = await run({ mode: 'exact', cutoff: 1 });
    const third = sentences / 3 / sampleEvery;
    const [early, late] = [pruned.samples.slice(0, third), pruned.samples.slice(third)];
    for (const name of names.filter(name => name !== 'rows' && name !== 'creationTimeBytes')) {
      expect([name, most(late, name)]).toEqual([name, most(early, name)]);
    }
    // The highest number of rows ever is a matter of chance, within a few in a hundred.
    expect(most(late, 'rows')).toBeLessThan(1.1 * most(early, 'rows'));
    const [first, second] = [late.slice(0, third), late.slice(third)];
    const mean = (some: Sample[]) =>
      some.reduce((sum, { rowsInUse }) => sum + rowsInUse, 0) / some.length;
    expect(mean(second) / mean(first)).toBeLessThan(1.05);

    // The control: every row of every word stays.
    const control = whole.samples;
    for (const name of names) {
      // The table of an index is doubled at three quarters, and lies in whole pages.
      const [times, pruning] = tables.has(name) ? [1.9, 2] : [2, 3];
      const earlier = most(control.slice(0, third - 1), name);
      expect(control.at(-1)![name]).toBeGreaterThan(times * earlier);
      expect(control.at(-1)![name]).toBeGreaterThan(pruning * most(pruned.samples, name));
    }
    expect(control.at(-1)!.rows).toBeGreaterThan(200_000);
    // What goes is of no use.
    expect(pruned.accuracy).toBeGreaterThan(95);
    expect(pruned.accuracy).toBeGreaterThan(whole.accuracy - 0.5);
    console.log('pruned:', pruned.samples.at(-1), pruned.accuracy);
    console.log('not pruned:', control.at(-1), whole.accuracy);
  });

  it('take no more than the limit with an optimizer that makes no weight zero', async () => {
    const features = 30_000;
    const { samples, accuracy } = await run(
      { mode: 'exact', cutoff: 1 },
      { features, bytes: 2 ** 30 },
    );
    expect(samples).toHaveLength(sentences / sampleEvery);
    const [early, late] = [samples.slice(0, 10), samples.slice(10)];
    // The limit is reached with the first tenth: with the next minibatch a quarter of the features has gone.
    expect(most(samples, 'rowsInUse')).toBeLessThanOrEqual(features);
    expect(most(samples, 'rows')).toBeLessThan(features + 200);
    for (const name of ['tableEntries', 'indexBytes', 'parameterBytes'] as const) {
      expect([name, most(late, name)]).toEqual([name, most(early, name)]);
    }
    // As with all features of ever-new words, which 300,000 rows are for.
    expect(accuracy).toBeGreaterThan(97);
    console.log('limited:', samples.at(-1), accuracy);
  });

  it.runIf(longForm)(
    'of pipelines/online.yaml take the same memory throughout 20 million',
    async () => {
      const script = fileURLToPath(new URL('long/endless-vocabulary.mjs', import.meta.url));
      const given = ['--expose-gc', script, 'online', '20000000'];
      const { stdout } = await promisify(execFile)(process.execPath, given);
      console.log(stdout);
      expect(stdout).toMatch(/online: 20000000 sentences, 0 rejected, \d{3,} evictions/);
    },
    6 * 3600 * 1000,
  );

  it('take the same memory throughout when features are hashed', async () => {
    const { samples } = await run({ mode: 'hashed', rows: 2 ** 14, edgeRows: 2 ** 6 });
    expect(samples).toHaveLength(sentences / sampleEvery);
    for (const name of names) {
      expect(new Set(samples.map(sample => sample[name])).size).toBe(1);
    }
  });
});
