import { TagstreamError } from '../../core/errors.js';
import { type Figure, ratio } from '../../core/figures.js';
import type { State, Stateful } from '../../core/training/state.js';
import type { Scores } from '../../core/training/training-step.js';
import { type MatchCounts, summarize } from './match-counts.js';

/** Scores in which a sentence's weight decays over time. */
export interface DecayedSummary extends Scores {
  /** Mean loss per token; null without tokens. */
  readonly loss: Figure;
}

/**
 * Scores from counts with exponential decay; a sentence counts half after `halfLife` further sentences:
 *
 *     count <- count * 2^(-1 / halfLife) + count of the sentence
 *
 * `sentences` and `tokens` are sums of such weights; in the long run, `sentences` approaches about 1.44
 * halfLife. Memory is constant for any half-life.
 *
 * @example
 * const scores = new DecayedScores(1);
 * scores.add({ tokens: 2, equal: 0, correct: 0, gold: 0, predicted: 0, loss: 3 });
 * scores.add({ tokens: 2, equal: 2, correct: 0, gold: 0, predicted: 0, loss: 0 });
 * scores.scores(false) // => { sentences: 1.5, tokens: 3, accuracy: 200 / 3, loss: 0.5 }
 */
export class DecayedScores implements Stateful {
  readonly halfLife: number;
  readonly #factor: number;
  /** Sums of sentences, tokens, correct tokens, spans (correct, gold, predicted), and loss. */
  readonly #sums = new Float64Array(7);

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
    this.#factor = 2 ** (-1 / halfLife);
  }

  /** Counts one sentence. */
  add(sentence: Readonly<MatchCounts> & { tokens: number; equal: number; loss: number }): void {
    const { tokens, equal, correct, gold, predicted, loss } = sentence;
    const sums = this.#sums;
    for (let i = 0; i < sums.length; i += 1) sums[i]! *= this.#factor;
    sums[0]! += 1;
    sums[1]! += tokens;
    sums[2]! += equal;
    sums[3]! += correct;
    sums[4]! += gold;
    sums[5]! += predicted;
    sums[6]! += loss;
  }

  /** @param spans whether the tags mark spans */
  scores(spans: boolean): DecayedSummary {
    const [sentences, tokens, equal, correct, gold, predicted, loss] = this
      .#sums as unknown as Seven;
    const counts = spans ? { correct, gold, predicted } : undefined;
    return Object.assign(summarize(sentences, tokens, equal, counts), {
      loss: ratio(loss, tokens),
    });
  }

  save(): State {
    return { json: { halfLife: this.halfLife }, arrays: { sums: this.#sums } };
  }

  /**
   * Continues from counts that may have decayed with another half-life so far.
   *
   * @throws TagstreamError `checkpoint` if the state is damaged
   */
  restore(state: State): void {
    const { sums } = state.arrays;
    if (!(sums instanceof Float64Array && sums.length === this.#sums.length)) {
      throw new TagstreamError('checkpoint', 'the state of the decayed scores is incomplete', {
        fix: 'resume from an older checkpoint',
      });
    }
    this.#sums.set(sums);
  }
}

type Seven = [number, number, number, number, number, number, number];
