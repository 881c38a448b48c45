import { TagstreamError } from '../../core/errors.js';
import type { Alternative } from '../../core/sentence/sentence.js';
import type { RankSummary } from '../../core/training/training-step.js';
import { convertTags } from '../../text/tags/convert-tags.js';
import { percent } from '../scores/match-counts.js';

/** Steps within a power of ten at which the gold sequences that were found so far are counted. */
const steps = [1, 2, 5];

/** The ranks of gold sequences: how many sequences score higher. */
class RankTally {
  /** At place r the sentences with r higher sequences; at the last place those that were not found. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(limit: number) {
    this.#counts = new Float64Array(limit + 1);
  }

  /** @param higher sequences that are known to score higher; `found` unless the gold one was not among them */
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
    const mean = sentences === 0 ? 0 : this.#sum / sentences;
    return { limit, sentences, loss: this.#sum, mean, beyond: this.#counts[limit]!, within };
  }
}

/**
 * The rank loss of a model: the number of tag sequences that it scores higher than the gold tags, summed over sentences,
 *
 *     sum over i of #{y : score(x_i, y) > score(x_i, y_i)}
 *
 * counted among the N best sequences of each sentence: exact where the gold tags are among them, else N, which is a lower
 * bound. To count all of them is intractable. The exponential loss is an upper bound of it (sequences that score as high as
 * the gold tags count there, and not here). Altun, Johnson and Hofmann (2003), section 3.1.
 *
 * Gold tags that the decoder forbids come after all others. Where spans are compared, gold tags of another scheme are looked
 * for in BIO too. Memory: two numbers for each rank. Cost O(T) for each sequence that scores higher.
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
   * @param limit N, the number of best sequences that sentences come with
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
   * @param nbest its N best sequences, the best first; fewer where there are no more
   * @throws TagstreamError `wrong-shape` where there are none, or more than N; nothing is counted then
   */
  add(gold: readonly string[], nbest: readonly Alternative[] | undefined): void {
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

  /** @param inBio whether gold tags and those of the model are of different schemes, and compared in BIO; default false */
  summary(inBio = false): RankSummary {
    return (inBio ? (this.#inBio ?? this.#own) : this.#own).summary();
  }
}

/** The different tag sequences that score higher than that at a place; all of them where that is none. */
function higherThan(nbest: readonly Alternative[], place: number): number {
  if (place === 0) return 0;
  const than = place < 0 ? Number.NEGATIVE_INFINITY : nbest[place]!.score;
  const before = place < 0 ? nbest : nbest.slice(0, place);
  const higher = before.filter(({ score }) => score > than);
  return new Set(higher.map(({ tags }) => tags.join('\t'))).size;
}

function isSame(tags: readonly string[], others: readonly string[]): boolean {
  return tags.length === others.length && tags.every((tag, t) => tag === others[t]);
}

/** Whether two sequences can be the same in BIO: `O` is `O` in every scheme. */
function mayBe(tags: readonly string[], others: readonly string[]): boolean {
  return tags.every((tag, t) => (tag === 'O') === (others[t] === 'O'));
}

/** 1, 2, 5, 10, 20, ... below a limit, and the limit. */
function roundNumbers(limit: number): number[] {
  const found: number[] = [];
  for (let power = 1; power < limit; power *= 10) {
    found.push(...steps.map(step => step * power).filter(number => number < limit));
  }
  return [...found, limit];
}
