import { packMinibatch } from '../../../src/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/core/random.js';
import { kernels } from '../../../src/models/kernels.js';
import { settleCorpus } from '../../../src/models/learning/settle-corpus.js';
import type { Model } from '../../../src/models/model.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from '../../models/examples/model-with.js';

const labels = ['X', 'Y', 'Z'];

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

const product = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** Random sentences of one to six words, of which those are kept that a random teacher is sure of. */
export function separableCorpus(options: SeparableOptions): SeparableCorpus {
  const { seed, sentences, words, margin: least } = options;
  const random = new Random(seed);
  const raw = Array.from({ length: 3 * words + 9 }, () => random.normal());
  const length = Math.sqrt(product(raw, raw));
  const teacher = raw.map(weight => weight / length);
  const model = modelWith(kernels.simd64, { templates: 'U:%x[0,0]\nB', columns: ['form'] });
  const encoded = [];
  let margin = Number.POSITIVE_INFINITY;
  let radius2 = 0;
  while (encoded.length < sentences) {
    const tokens = Array.from({ length: 1 + random.below(6) }, () => random.below(words));
    const all = pathsOf(tokens.length).map(path => statistics(tokens, path, words));
    const scores = all.map(each => product(teacher, each));
    const [best, second] = [...scores].sort((a, b) => b - a) as [number, number];
    if (best - second < least) continue;
    const gold = scores.indexOf(best);
    margin = Math.min(margin, best - second);
    for (const other of all) {
      const difference = other.map((count, k) => count - all[gold]![k]!);
      radius2 = Math.max(radius2, product(difference, difference));
    }
    const tags = pathsOf(tokens.length)[gold]!.map(y => labels[y]!);
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

/** All sequences of three labels. */
function pathsOf(length: number): number[][] {
  let paths: number[][] = [[]];
  for (let t = 0; t < length; t += 1)
    paths = paths.flatMap(path => [0, 1, 2].map(y => [...path, y]));
  return paths;
}

/** The corpus as minibatches of single sentences, in a new order for each pass; the last one ends it. */
export function passOf({ corpus }: SeparableCorpus, pass: number) {
  const order = new Random(1000 + pass).shuffle(Uint32Array.from(corpus.keys()));
  return Array.from(order, (i, k) =>
    packMinibatch([k === order.length - 1 ? { ...corpus[i]!, passEnd: pass } : corpus[i]!]),
  );
}
