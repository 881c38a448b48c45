import { TagstreamError } from '../../core/errors.js';
import { type Figure, percent } from '../../core/figures.js';
import { determinedTag, type PartialTag } from '../../core/sentence/partial-tag.js';
import type { DetailedScores, LabelOfLate } from '../../core/training/detailed-scores.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateNumber,
  wrongState,
} from '../../core/training/state.js';
import { hashOf, WordMemory } from '../word-memory.js';
import { type MatchCounts, matchScores } from './match-counts.js';
import { type RatioSums, ratioVariance } from './sampled-scores.js';
import { scoredPart } from './scored-part.js';
import { countSpans } from './span-scores.js';

/** Number of slots of votes for words' tags; words with the same hash share a slot. */
const places = 2 ** 16;

/** Maximum number of votes for a tag, so that a word's tag can change. */
const mostVotes = 15;

/** Maximum weight, above which weights restart at 1. */
const mostWeight = 2 ** 64;

/**
 * Number of values per ratio: numerator, denominator, and the weighted sums over sentences of num^2, num den and den^2.
 */
const ratio = 5;

/**
 * Offsets of the sums: two ratios, then tokens of unseen words and correct ones among them, then correct tokens
 * of the three baselines.
 */
const [tokens, spans, unseen, baselines] = [0, ratio, 2 * ratio, 2 * ratio + 2];
const sumCount = baselines + 3;

/** Normal quantile: 95 % of values lie within this many standard deviations. */
const deviations95 = 1.96;

/** Weighted counts by label. */
class CountsByLabel {
  readonly names: string[] = [];
  readonly numbers = new Map<string, number>();
  readonly counts: MatchCounts[] = [];

  numberOf(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.numbers.set(name, number);
      this.counts.push({ correct: 0, gold: 0, predicted: 0 });
    }
    return number;
  }

  scale(factor: number): void {
    for (const counts of this.counts) {
      counts.correct *= factor;
      counts.gold *= factor;
      counts.predicted *= factor;
    }
  }

  scores(weight: number): LabelOfLate[] {
    const { names, counts } = this;
    const order = [...names.keys()].sort((a, b) => counts[b]!.gold - counts[a]!.gold || a - b);
    return order.map(number => {
      const { correct, gold, predicted } = counts[number]!;
      const own = { correct: correct / weight, gold: gold / weight, predicted: predicted / weight };
      return { label: names[number]!, ...matchScores(own) };
    });
  }

  save(): Float64Array {
    const { counts } = this;
    return Float64Array.from(counts.flatMap(of => [of.correct, of.gold, of.predicted]));
  }

  restore(names: unknown, numbers: Float64Array): void {
    if (!Array.isArray(names) || numbers.length !== 3 * names.length) {
      throw wrongState('the scores by label are incomplete');
    }
    this.names.length = 0;
    this.numbers.clear();
    this.counts.length = 0;
    for (const name of names) {
      const number = this.numberOf(String(name));
      const [correct = 0, gold = 0, predicted = 0] = numbers.subarray(3 * number);
      this.counts[number] = { correct, gold, predicted };
    }
  }
}

/**
 * Details of the scores of a stream: by label, for unseen words, baselines, and intervals. A sentence counts half after
 * `halfLife` further sentences, as in `DecayedScores`.
 *
 * Accuracy and F1 are ratios `R = sum w_i a_i / sum w_i b_i` over sentences (correct tokens to tokens; twice the correct
 * spans to gold plus predicted ones). For independent sentences, the variance of such a ratio is about `ratioVariance`,
 * and the interval is R +- 1.96 standard deviations.
 *
 * A word is unseen at its first occurrence (see `WordMemory`); baselines know only previous tokens. Memory (512 KiB for
 * words) and cost per token are constant, except for label names.
 *
 * @example
 * const details = new ScoreDetails(1000);
 * details.add(['N', 'V'], ['N', 'N'], ['dogs', 'bark']);
 * details.add(['N', 'V'], ['N', 'V'], ['dogs', 'sleep']);
 * const { unseen, baselines } = details.scores(false);
 * [unseen.tokens.toFixed(2), unseen.accuracy.toFixed(2)] // => ['3.00', '66.67']
 * baselines.word.toFixed(2) // => '25.01'
 */
export class ScoreDetails implements Stateful {
  readonly halfLife: number;
  readonly #growth: number;
  readonly #sums = new Float64Array(sumCount);
  readonly #tags = new CountsByLabel();
  readonly #spans = new CountsByLabel();
  readonly #words = new WordMemory();
  /** For each slot, the tag's number, from 1, in the upper half and its votes in the lower half. */
  readonly #votes = new Uint32Array(places);
  readonly #ofSentence = new Map<string, MatchCounts>();
  /** The weight of the current sentence. */
  #weight = 1;
  /** Numbers of the most frequent tag and of the previous token's tag; -1 if there is none yet. */
  #majority = -1;
  #last = -1;

  /**
   * @param halfLife half-life in sentences, at least 1
   * @throws TagstreamError `config` if the half-life is below 1
   */
  constructor(halfLife: number) {
    if (!(halfLife >= 1 && halfLife <= Number.MAX_SAFE_INTEGER)) {
      throw new TagstreamError('config', `the half-life of the scores is ${halfLife}`, {
        fix: 'give a number of sentences of at least 1',
      });
    }
    this.halfLife = halfLife;
    this.#growth = 2 ** (1 / halfLife);
  }

  /**
   * Counts one sentence, or the known part of its gold tags: see `ProgressiveScores.add`.
   *
   * @param words the sentence's tokens; if absent, no word is unseen and the word baseline predicts
   *   nothing
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(
    gold: readonly PartialTag[],
    predicted: readonly string[],
    words: readonly string[] = [],
  ): void {
    const { spans: tags } = scoredPart(gold, predicted);
    this.#weight *= this.#growth;
    if (this.#weight > mostWeight) this.#rescale();
    let [known, right] = [0, 0];
    for (let t = 0; t < gold.length; t += 1) {
      const tag = determinedTag(gold[t]!);
      const word = words[t];
      if (tag === null) {
        if (word !== undefined) this.#words.isNew(word);
        continue;
      }
      known += 1;
      if (this.#addToken(tag, predicted[t]!, word)) right += 1;
    }
    this.#addRatio(tokens, right, known);
    this.#addSpans(tags.gold, tags.predicted);
  }

  /** Counts a token; returns whether it is correct. */
  #addToken(gold: string, predicted: string, word: string | undefined): boolean {
    const weight = this.#weight;
    const sums = this.#sums;
    const isRight = gold === predicted;
    const number = this.#tags.numberOf(gold);
    if (word !== undefined) {
      if (this.#words.isNew(word)) {
        sums[unseen]! += weight;
        if (isRight) sums[unseen + 1]! += weight;
      }
      const at = hashOf(word) % places;
      const vote = this.#votes[at]!;
      const usual = vote === 0 ? this.#majority : (vote >>> 16) - 1;
      if (usual === number) sums[baselines + 2]! += weight;
      this.#votes[at] = voted(vote, number + 1);
    }
    if (this.#majority === number) sums[baselines]! += weight;
    if (this.#last === number) sums[baselines + 1]! += weight;
    const { counts } = this.#tags;
    const own = counts[number]!;
    own.gold += weight;
    if (isRight) own.correct += weight;
    counts[this.#tags.numberOf(predicted)]!.predicted += weight;
    if (this.#majority < 0 || own.gold > counts[this.#majority]!.gold) this.#majority = number;
    this.#last = number;
    return isRight;
  }

  #addSpans(gold: readonly string[], predicted: readonly string[]): void {
    const ofSentence = this.#ofSentence;
    for (const counts of ofSentence.values()) {
      counts.correct = 0;
      counts.gold = 0;
      counts.predicted = 0;
    }
    const total = { correct: 0, gold: 0, predicted: 0 };
    countSpans(gold, predicted, total, ofSentence);
    this.#addRatio(spans, 2 * total.correct, total.gold + total.predicted);
    if (total.gold + total.predicted === 0) return;
    const weight = this.#weight;
    for (const [type, { correct, gold: inGold, predicted: found }] of ofSentence) {
      if (inGold + found === 0) continue;
      const own = this.#spans.counts[this.#spans.numberOf(type)]!;
      own.correct += weight * correct;
      own.gold += weight * inGold;
      own.predicted += weight * found;
    }
  }

  #addRatio(at: number, numerator: number, denominator: number): void {
    const sums = this.#sums;
    const weight = this.#weight;
    const squared = weight * weight;
    sums[at]! += weight * numerator;
    sums[at + 1]! += weight * denominator;
    sums[at + 2]! += squared * numerator * numerator;
    sums[at + 3]! += squared * numerator * denominator;
    sums[at + 4]! += squared * denominator * denominator;
  }

  /** Rescales the sums so that the current weight is 1. */
  #rescale(): void {
    const factor = 1 / this.#weight;
    const sums = this.#sums;
    for (let i = 0; i < sums.length; i += 1) {
      const isSquare = i < unseen && i % ratio >= 2;
      sums[i]! *= isSquare ? factor * factor : factor;
    }
    this.#tags.scale(factor);
    this.#spans.scale(factor);
    this.#weight = 1;
  }

  /** @param marksSpans whether the tags mark spans (see `isSpanScheme`) */
  scores(marksSpans: boolean): DetailedScores {
    const sums = this.#sums;
    const weight = this.#weight;
    const all = sums[tokens + 1]!;
    const baseline = (i: number) => percent(sums[baselines + i]!, all);
    return {
      accuracy: this.#interval(tokens),
      ...(marksSpans ? { f1: this.#interval(spans) } : {}),
      unseen: {
        tokens: sums[unseen]! / weight,
        accuracy: percent(sums[unseen + 1]!, sums[unseen]!),
      },
      baselines: { majority: baseline(0), last: baseline(1), word: baseline(2) },
      labels: (marksSpans ? this.#spans : this.#tags).scores(weight),
    };
  }

  #interval(at: number): readonly [low: Figure, high: Figure] {
    const found = [...this.#sums.subarray(at, at + ratio)] as unknown as RatioSums;
    const [numerator, denominator] = found;
    if (denominator === 0) return [null, null];
    const mean = numerator / denominator;
    const most = deviations95 * Math.sqrt(ratioVariance(found));
    return [100 * Math.max(0, mean - most), 100 * Math.min(1, mean + most)];
  }

  save(): State {
    return {
      json: {
        ...{ halfLife: this.halfLife, weight: this.#weight },
        ...{ majority: this.#majority, last: this.#last, remembered: this.#words.count },
        ...{ tags: [...this.#tags.names], spans: [...this.#spans.names] },
      },
      arrays: {
        ...{ sums: this.#sums, votes: this.#votes, words: this.#words.hashes },
        ...{ ofTags: this.#tags.save(), ofSpans: this.#spans.save() },
      },
    };
  }

  /**
   * Continues from counts that may have decayed with another half-life so far.
   *
   * @throws TagstreamError `checkpoint` if the state is incomplete
   */
  restore(state: State): void {
    const { json } = state;
    const array = (name: string, least: number) => stateArray(state, name, [Float64Array], least);
    this.#ofSentence.clear();
    this.#sums.set(array('sums', sumCount));
    this.#tags.restore(json.tags, array('ofTags', 0));
    this.#spans.restore(json.spans, array('ofSpans', 0));
    this.#votes.set(stateArray(state, 'votes', [Uint32Array], places));
    this.#words.hashes.set(stateArray(state, 'words', [Uint32Array], this.#words.hashes.length));
    this.#words.count = stateNumber(state, 'remembered');
    this.#weight = stateNumber(state, 'weight');
    this.#majority = stateNumber(state, 'majority');
    this.#last = stateNumber(state, 'last');
  }
}

/**
 * Updates the vote for a tag (Boyer and Moore 1981): its own tag adds one, another tag removes one,
 * and replaces it when no vote is left.
 */
function voted(vote: number, tag: number): number {
  const votes = vote & 0xffff;
  if (votes === 0) return ((tag << 16) | 1) >>> 0;
  if (vote >>> 16 !== tag) return vote - 1;
  return votes < mostVotes ? vote + 1 : vote;
}
