import { TagstreamError } from '../../core/errors.js';
import { percent, ratio } from '../../core/figures.js';
import type { Alternative } from '../../core/sentence/sentence.js';
import type { RankSummary } from '../../core/training/training-step.js';
import { convertTags } from '../../text/tags/convert-tags.js';

/** A tag sequence with its score. */
export type RankedTags = Pick<Alternative, 'tags' | 'score'>;

/** Steps within a power of ten at which found gold sequences are counted. */
const steps = [1, 2, 5];

/** Tally of gold sequence ranks: the number of sequences that score higher. */
class RankTally {
  /**
   * Number of sentences with r higher sequences at place r; the last place counts the gold sequences
   * that were not found.
   */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(limit: number) {
    this.#counts = new Float64Array(limit + 1);
  }

  /**
   * @param higher number of sequences known to score higher; `found` is false if the gold one was
   *   not among them
   */
  add(higher: number, found: boolean): void {
    this.#counts[found ? higher : this.#counts.length - 1]! += 1;
    this.#sum += higher;
  }

  summary(): RankSummary {
    const limit = this.#counts.length - 1;
    const sentences = this.#counts.reduce((sum, count) => sum + count, 0);
    const foundAmong = (best: number) =>
      this.#counts.subarray(0, best).reduce((sum, count) => sum + count, 0);
    const within = roundNumbers(limit).map(best => {
      const count = foundAmong(best);
      return { best, sentences: count, share: percent(count, sentences) };
    });
    const mean = ratio(this.#sum, sentences);
    return { limit, sentences, loss: this.#sum, mean, beyond: this.#counts[limit]!, within };
  }
}

/**
 * Counts the rank loss of a model: the number of tag sequences that it scores higher than the gold tags.
 *
 *     sum over sentences i of #{y : score(x_i, y) > score(x_i, y_i)}
 *
 * They are counted among the N best sequences of each sentence: the count is exact if the gold tags are among them, otherwise N, a lower
 * bound. Counting all of them is intractable. The exponential loss is an upper bound (it counts sequences with the
 * same score as the gold tags, which are not counted here). Altun, Johnson and Hofmann (2003), section 3.1.
 *
 * Gold tags that the decoder forbids rank last. If spans are compared, gold tags of another scheme are also searched
 * for in BIO. Memory: two numbers per rank. Cost O(T) per sequence that scores higher.
 *
 * @example
 * const ranks = new RankLoss(2);
 * const nbest = [['X', 'X'], ['X', 'Y']].map((tags, i) => ({ tags, score: -i, probability: 0.4 }));
 * ranks.add(['X', 'Y'], nbest); // second best
 * ranks.add(['Y', 'Y'], nbest); // not found
 * const { loss, beyond, within } = ranks.summary();
 * [loss, beyond, within.map(({ best, share }) => [best, share])] // => [3, 1, [[1, 0], [2, 50]]]
 */
export class RankLoss {
  readonly #own: RankTally;
  readonly #inBio: RankTally | undefined;

  /**
   * @param limit N, the number of best sequences per sentence
   * @param spanScheme whether the tags mark spans (see `isSpanScheme`); default false
   * @throws TagstreamError `config` unless N is a whole number from 1
   */
  constructor(limit: number, spanScheme = false) {
    if (!(Number.isSafeInteger(limit) && limit >= 1)) {
      throw new TagstreamError('config', `cannot count ranks among the ${limit} best sequences`, {
        fix: 'give a whole number from 1 to 1000',
      });
    }
    this.limit = limit;
    this.#own = new RankTally(limit);
    this.#inBio = spanScheme ? new RankTally(limit) : undefined;
  }

  readonly limit: number;

  /**
   * Counts one sentence.
   *
   * @param nbest the sentence's N best sequences, best first; fewer if no more exist
   * @throws TagstreamError `wrong-shape` if there are none, or more than N, in which case nothing is
   *   counted
   */
  add(gold: readonly string[], nbest: readonly RankedTags[] | undefined): void {
    if (nbest === undefined || nbest.length === 0 || nbest.length > this.limit) {
      const found = nbest === undefined ? 'no best sequences' : `${nbest.length} best sequences`;
      throw new TagstreamError('wrong-shape', `a sentence has ${found} for its rank`, {
        fix: `tag with nbest: ${this.limit}`,
      });
    }
    const place = nbest.findIndex(({ tags }) => isSame(tags, gold));
    const own = higherThan(nbest, place);
    this.#own.add(own, place >= 0);
    if (this.#inBio === undefined) return;
    if (place >= 0) {
      this.#inBio.add(own, true);
      return;
    }
    const inBio = convertTags(gold, 'BIO');
    const other = nbest.findIndex(
      ({ tags }) => mayBe(tags, gold) && isSame(convertTags(tags, 'BIO'), inBio),
    );
    this.#inBio.add(higherThan(nbest, other), other >= 0);
  }

  /** @param inBio whether gold and model tags have different schemes and are compared in BIO; default false */
  summary(inBio = false): RankSummary {
    return (inBio ? (this.#inBio ?? this.#own) : this.#own).summary();
  }
}

/**
 * Returns the distinct tag sequences that score higher than the one at `place`, or all of them if there
 * is no such place.
 */
function higherThan(nbest: readonly RankedTags[], place: number): number {
  if (place === 0) return 0;
  const than = place < 0 ? Number.NEGATIVE_INFINITY : nbest[place]!.score;
  const before = place < 0 ? nbest : nbest.slice(0, place);
  const higher = before.filter(({ score }) => score > than);
  return new Set(higher.map(({ tags }) => tags.join('\t'))).size;
}

function isSame(tags: readonly string[], others: readonly string[]): boolean {
  return tags.length === others.length && tags.every((tag, t) => tag === others[t]);
}

/** Whether two sequences might be the same in BIO: `O` is `O` in every scheme. */
function mayBe(tags: readonly string[], others: readonly string[]): boolean {
  return tags.every((tag, t) => (tag === 'O') === (others[t] === 'O'));
}

/** Returns 1, 2, 5, 10, 20, ... below a limit, and the limit. */
function roundNumbers(limit: number): number[] {
  const found: number[] = [];
  for (let power = 1; power < limit; power *= 10) {
    found.push(...steps.map(step => step * power).filter(number => number < limit));
  }
  return [...found, limit];
}
