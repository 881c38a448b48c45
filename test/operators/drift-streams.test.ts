import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { from, lastValueFrom, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { logLoss } from '../../src/losses/log-loss.js';
import { DriftWatch } from '../../src/metrics/drift-watch.js';
import { ProgressiveScores } from '../../src/metrics/scores/progressive-scores.js';
import { createModel } from '../../src/models/create-model.js';
import { createOnlineLearner } from '../../src/models/learning/learner.js';
import { batch } from '../../src/operators/batch.js';
import { contribute } from '../../src/operators/contribute.js';
import { evaluateProgressive } from '../../src/operators/evaluate-progressive.js';
import { featurize } from '../../src/operators/featurize.js';
import { optimize } from '../../src/operators/optimize.js';
import { adagrad } from '../../src/optimizers/adagrad.js';
import { sentenceOf } from '../features/sentence-of.js';
import { corpora, corporaPresent } from '../house/corpora/corpora.js';

interface Labelled {
  readonly tokens: readonly string[];
  readonly tags: readonly string[];
}

const full = process.env.TAGSTREAM_FULL === '1';
const present = corporaPresent('drift on streams of CoNLL-2000');
const templates =
  'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nU3:%suffix[0,0,3]\nU4:%type[0,0]\nU5:%suffix[0,0,2]/%suffix[-1,0,2]\nB\n';

function sentences(): Labelled[] {
  const text = readFileSync(join(corpora, 'conll2000/train.txt'), 'latin1');
  return text
    .split('\n\n')
    .map(block => block.trim().split('\n'))
    .filter(([first]) => first !== '')
    .map(rows => ({
      tokens: rows.map(row => row.split(' ')[0]!),
      tags: rows.map(row => row.split(' ')[2]!),
    }));
}

/** Sentences of a stream, shuffled; the second half is changed. */
function stream(seed: number, count: number, change?: (sentence: Labelled) => Labelled) {
  const all = sentences();
  const order = new Random(seed).shuffle(Uint32Array.from(all.keys())).subarray(0, count);
  return Array.from(order, (i, n) => {
    const sentence = all[i]!;
    return change === undefined || n < count / 2 ? sentence : change(sentence);
  });
}

/** The numbers of sentences at which drift is reported. */
async function reported(given: readonly Labelled[]): Promise<number[]> {
  const model = createModel({ templates });
  const learner = createOnlineLearner(model, {
    ...{ loss: logLoss, optimizer: adagrad, options: { eta0: 0.2, l2: 0.05 }, corpusSize: 10_000 },
  });
  const progress = new ProgressiveScores({ spanScheme: true });
  const found: number[] = [];
  const steps = from(given).pipe(
    map(({ tokens, tags }) => sentenceOf([...tokens], { tags: [...tags] })),
    featurize(model),
    batch(),
    contribute(learner, { predict: true }),
    optimize(learner),
    evaluateProgressive(model, progress, {
      watch: new DriftWatch(),
      onWarning: () => found.push(progress.sentences),
    }),
  );
  await lastValueFrom(steps);
  return found;
}

const types = ['NP', 'VP', 'PP', 'ADVP', 'ADJP', 'SBAR'];
const permuted = (tag: string) => {
  const i = types.indexOf(tag.slice(2));
  return i < 0 ? tag : `${tag.slice(0, 2)}${types[(i + 1) % types.length]}`;
};

describe.skipIf(!present)('drift of a stream of chunks', () => {
  const count = full ? 8936 : 2000;
  const changes: Readonly<Record<string, (sentence: Labelled) => Labelled>> = {
    'labels that have new names': ({ tokens, tags }) => ({
      tokens,
      tags: tags.map(tag => (tag === 'O' ? tag : `${tag}X`)),
    }),
    'labels that are permuted': ({ tokens, tags }) => ({ tokens, tags: tags.map(permuted) }),
    'words in upper case': ({ tokens, tags }) => ({
      tokens: tokens.map(token => token.toUpperCase()),
      tags,
    }),
  };

  it.each(Object.entries(changes))('is reported soon: %s', async (_, change) => {
    const [first, ...more] = await reported(stream(1, count, change));
    expect(first).toBeGreaterThan(count / 2);
    expect(first).toBeLessThanOrEqual(count / 2 + 100);
    expect(more).toEqual([]);
  });

  it('is not reported of a stream that is only shuffled', async () => {
    for (let seed = 1; seed <= (full ? 5 : 2); seed += 1) {
      expect(await reported(stream(seed, count))).toEqual([]);
    }
  });
});
