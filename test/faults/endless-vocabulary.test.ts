import { lastValueFrom, Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Sentence } from '../../src/core/sentence.js';
import { ExactIndex } from '../../src/features/exact-index.js';
import { logLoss } from '../../src/losses/log-loss.js';
import { ProgressiveScores } from '../../src/metrics/progressive-scores.js';
import { createModel } from '../../src/models/create-model.js';
import { createLearner } from '../../src/models/learner.js';
import type { IndexSpec } from '../../src/models/model-spec.js';
import { batch } from '../../src/operators/batch.js';
import { contribute } from '../../src/operators/contribute.js';
import { evaluateProgressive } from '../../src/operators/evaluate-progressive.js';
import { featurize } from '../../src/operators/featurize.js';
import { optimize } from '../../src/operators/optimize.js';
import { sgdL1 } from '../../src/optimizers/sgd-l1.js';
import { sentenceOf } from '../features/sentence-of.js';
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
  readonly birthBytes: number;
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

async function run(index: IndexSpec): Promise<{ samples: Sample[]; accuracy: number }> {
  const model = createModel({ templates, index });
  const learner = createLearner(model, {
    loss: logLoss,
    optimizer: sgdL1,
    options: { schedule: 'constant', eta0: 0.2, l1: 1 },
    corpusSize: pruneEvery,
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
          birthBytes: learner.save().arrays['births.state']!.byteLength,
        });
        subscriber.next(sentencesSeen);
      },
      error: error => subscriber.error(error),
      complete: () => subscriber.complete(),
    }),
  );
  expect(await lastValueFrom(watched)).toBe(sentences);
  return { samples, accuracy: progress.decayed.scores(false).accuracy };
}

const most = (samples: readonly Sample[], name: keyof Sample) =>
  Math.max(...samples.map(sample => sample[name]));

const tables: ReadonlySet<keyof Sample> = new Set(['tableEntries', 'indexBytes']);
const names = ['rows', 'tableEntries', 'indexBytes', 'parameterBytes', 'birthBytes'] as const;

describe(`${sentences} sentences with ever-new words`, () => {
  it('take no more rows and memory with pruning than their first third, and grow without', async () => {
    const pruned = await run({ mode: 'exact', cutoff: 1, pruneEvery });
    const whole = await run({ mode: 'exact', cutoff: 1 });
    const third = sentences / 3 / sampleEvery;
    const [early, late] = [pruned.samples.slice(0, third), pruned.samples.slice(third)];
    for (const name of names.filter(name => name !== 'rows' && name !== 'birthBytes')) {
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

  it('take the same memory throughout when features are hashed', async () => {
    const { samples } = await run({ mode: 'hashed', rows: 2 ** 14, edgeRows: 2 ** 6 });
    expect(samples).toHaveLength(sentences / sampleEvery);
    for (const name of names) {
      expect(new Set(samples.map(sample => sample[name])).size).toBe(1);
    }
  });
});
