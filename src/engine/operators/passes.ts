import type { OperatorFunction } from 'rxjs';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import { Random } from '../core/random.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { Model } from '../models/model.js';
import { CorpusSentence, overCorpus } from './corpus/over-corpus.js';
import { unhurried } from './unhurried.js';

/** Options of `passes`. */
export interface PassesOptions {
  /** Number of passes through the corpus, for each seed. */
  readonly epochs: number;
  /** Number of consecutive seeds, with each of which all passes are made. Default 1. */
  readonly seeds?: number;
  /** Seed of the order, or the first of several seeds. Default 1. */
  readonly seed?: number;
  /** Whether each pass has a new order. Default true. */
  readonly shuffle?: boolean;
  /** Probability with which each visit drops each state feature, from 0 to less than 1. Default 0. */
  readonly dropout?: number;
  /** Number of sentences to skip, for a resumed run. Default 0. */
  readonly skip?: number;
  /** Receives the number of labelled sentences once all are collected. */
  readonly onCorpus?: (sentences: number) => void;
  /** Receives the corpus in the form that the passes visit, before the first pass. */
  readonly onSettled?: (corpus: readonly EncodedSentence[]) => void;
}

/**
 * Returns an operator that collects a whole corpus, then emits it `epochs` times, each time in a new order.
 *
 * The order of a pass depends only on the seed and the number of the pass. With several seeds, the passes of each
 * follow those of the previous one and continue the pass numbers; a learner with a `SeedMean` combines them into one
 * model. The last sentence of a pass has `passEnd`. With `dropout`, each visit leaves out different features, chosen by
 * the seed, the pass and the position in the pass.
 *
 * Unlabelled sentences are left out. When the corpus is complete, the model is frozen and its size fixed; with a
 * cutoff, rarer features are dropped and all sentences are encoded again. Collected sentences are released and
 * acknowledged, because the corpus stays in memory on purpose.
 *
 * @param model the model that encoded the sentences
 * @param options the number of passes, and how they differ
 * @throws TagstreamError `config` for an unknown option; the stream fails with `empty-sentence` if no sentence is labelled
 */
export function passes(
  model: Model,
  options: PassesOptions,
): OperatorFunction<EncodedSentence, EncodedSentence> {
  requireArgument('passes: the model', model, kinds.model);
  requireKnown('passes', options, [
    ...['epochs', 'seeds', 'seed', 'shuffle', 'dropout', 'skip', 'onCorpus', 'onSettled'],
  ]);
  requireArgument('passes.epochs', options.epochs, kinds.count);
  return source =>
    overCorpus(model, source, 'passes', corpus => {
      options.onCorpus?.(corpus.length);
      options.onSettled?.(corpus);
      return unhurried(visits(corpus, options));
    });
}

function* visits(
  corpus: readonly EncodedSentence[],
  { epochs, seeds = 1, seed: first = 1, shuffle = true, skip = 0, dropout = 0 }: PassesOptions,
): Generator<EncodedSentence> {
  const last = corpus.length - 1;
  for (let pass = 1; pass <= epochs * seeds; pass += 1) {
    if (skip >= pass * corpus.length) continue;
    const before = Math.floor((pass - 1) / epochs);
    const seed = first + before;
    const own = pass - before * epochs;
    const order = Uint32Array.from(corpus.keys());
    if (shuffle) new Random(seed * 1000003 + own).shuffle(order);
    for (let i = Math.max(0, skip - (pass - 1) * corpus.length); i <= last; i += 1) {
      const whole = corpus[order[i]!]!;
      const visit = (own - 1) * corpus.length + i;
      const sentence =
        dropout === 0
          ? whole
          : dropFeatures(whole, dropout, new Random(seed * 1000003 + visit * 7919));
      yield i === last ? new CorpusSentence(sentence, sentence.number, pass) : sentence;
    }
  }
}

/**
 * Returns a copy of a sentence with each state feature dropped independently with probability `share`; the other
 * features' values are divided by `1 - share`, which preserves the expected scores.
 *
 * Edge features and plain transitions are kept. The copy is not a numbered sentence of a corpus. Cost
 * O(active features). Srivastava et al. (2014); for tagging, Wang and Manning (2013).
 *
 * @param share from 0 to less than 1
 */
export function dropFeatures(
  sentence: EncodedSentence,
  share: number,
  random: Random,
): EncodedSentence {
  const { stateStarts, stateRows, stateValues, number: _, ...rest } = sentence;
  // Segment candidates follow the tokens.
  const length = stateStarts.length - 1;
  const below = share * 4294967296;
  const starts = new Uint32Array(length + 1);
  const rows = new Uint32Array(stateRows.length);
  const values = new Float64Array(stateRows.length);
  const factor = 1 / (1 - share);
  let kept = 0;
  for (let t = 0; t < length; t += 1) {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      if (random.next() < below) continue;
      rows[kept] = stateRows[k]!;
      values[kept] = stateValues === undefined ? factor : stateValues[k]! * factor;
      kept += 1;
    }
    starts[t + 1] = kept;
  }
  return {
    ...rest,
    stateStarts: starts,
    stateRows: rows.subarray(0, kept),
    stateValues: values.subarray(0, kept),
  };
}
