import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from '../../models/examples/model-with.js';

const labels = ['X', 'Y', 'Z'];

/** All sequences of three labels, by their length. */
const paths: number[][][] = [[[]]];
for (let length = 1; length <= 6; length += 1) {
  paths.push(paths[length - 1]!.flatMap(path => [0, 1, 2].map(y => [...path, y])));
}

/** How a corpus is drawn. */
export interface SeparableOptions {
  readonly seed: number;
  readonly sentences: number;
  readonly words: number;
  /** What the gold labels of each sentence lead by at least, for weights of length 1. */
  readonly margin: number;
}

/** A corpus that a teacher separates, and what is known of it. */
export interface SeparableCorpus {
  readonly model: Model;
  readonly corpus: ReturnType<typeof settleCorpus>;
  /** delta: the least lead of gold labels by the teacher's weights, which have length 1. */
  readonly margin: number;
  /** R^2: the greatest squared length of F(gold) - F(y), over all sentences and all y. */
  readonly radius2: number;
}

/** F(x, y): counts of (word, label) and (label, label). */
function statistics(words: readonly number[], path: readonly number[], count: number): number[] {
  const found = new Array<number>(3 * count + 9).fill(0);
  for (const [t, word] of words.entries()) {
    found[3 * word + path[t]!]! += 1;
    if (t > 0) found[3 * count + 3 * path[t - 1]! + path[t]!]! += 1;
  }
  return found;
}

/** |a - b|^2. */
function squaredDistance(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}

/** What weights of F(x, y) give a path. */
function score(weights: readonly number[], words: readonly number[], path: readonly number[]) {
  const edges = weights.length - 9;
  let sum = 0;
  for (let t = 0; t < words.length; t += 1) {
    sum += weights[3 * words[t]! + path[t]!]!;
    if (t > 0) sum += weights[edges + 3 * path[t - 1]! + path[t]!]!;
  }
  return sum;
}

/** Random sentences of one to six words, of which those are kept that a random teacher is sure of. */
export function separableCorpus(options: SeparableOptions): SeparableCorpus {
  const { seed, sentences, words, margin: least } = options;
  const random = new Random(seed);
  const raw = Array.from({ length: 3 * words + 9 }, () => random.normal());
  const length = Math.hypot(...raw);
  const teacher = raw.map(weight => weight / length);
  const model = modelWith(kernels.simd64, { templates: 'U:%x[0,0]\nB', columns: ['form'] });
  const encoded = [];
  let margin = Number.POSITIVE_INFINITY;
  let radius2 = 0;
  while (encoded.length < sentences) {
    const tokens = Array.from({ length: 1 + random.below(6) }, () => random.below(words));
    const all = paths[tokens.length]!;
    let [best, second, gold] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, all[0]!];
    for (const path of all) {
      const found = score(teacher, tokens, path);
      if (found > best) [best, second, gold] = [found, best, path];
      else second = Math.max(second, found);
    }
    if (best - second < least) continue;
    margin = Math.min(margin, best - second);
    const counts = statistics(tokens, gold, words);
    for (const path of all) {
      radius2 = Math.max(radius2, squaredDistance(statistics(tokens, path, words), counts));
    }
    const tags = gold.map(y => labels[y]!);
    encoded.push(
      model.encode(
        sentenceOf(
          tokens.map(word => `w${word}`),
          { tags },
        ),
      ),
    );
  }
  const corpus = settleCorpus(model, encoded);
  model.reserve();
  return { model, corpus, margin, radius2 };
}

/** The corpus as minibatches of single sentences, in a new order for each pass; the last one ends it. */
export function passOf({ corpus }: SeparableCorpus, pass: number) {
  const order = new Random(1000 + pass).shuffle(Uint32Array.from(corpus.keys()));
  return Array.from(order, (i, k) =>
    packMinibatch([k === order.length - 1 ? { ...corpus[i]!, passEnd: pass } : corpus[i]!]),
  );
}
