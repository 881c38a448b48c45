import { type Figure, percent } from '../../core/figures.js';
import { assertSameLength } from '../scores/match-counts.js';

/** Accuracy on words of one kind. */
export interface WordAccuracy {
  readonly tokens: number;
  readonly correct: number;
  /** Accuracy in percent; null if there are no tokens. */
  readonly accuracy: Figure;
}

/**
 * Accuracy on unseen words and on words of the training data. Words are compared by exact form,
 * including case.
 *
 * @example
 * const words = new UnseenWords(new Set(['the', 'dog']));
 * words.add(['the', 'cat', 'Dog'], ['D', 'N', 'N'], ['D', 'N', 'V']);
 * words.unseen // => { tokens: 2, correct: 1, accuracy: 50 }
 * words.seen.accuracy // => 100
 */
export class UnseenWords {
  readonly #vocabulary: ReadonlySet<string>;
  /** Numbers of tokens and of correct ones, for unseen words, then for seen words. */
  readonly #counts = [0, 0, 0, 0];

  constructor(vocabulary: ReadonlySet<string>) {
    this.#vocabulary = vocabulary;
  }

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(tokens: readonly string[], gold: readonly string[], predicted: readonly string[]): void {
    assertSameLength(gold, predicted);
    assertSameLength(gold, tokens);
    for (let t = 0; t < tokens.length; t += 1) {
      const kind = this.#vocabulary.has(tokens[t]!) ? 2 : 0;
      this.#counts[kind]! += 1;
      if (gold[t] === predicted[t]) this.#counts[kind + 1]! += 1;
    }
  }

  get unseen(): WordAccuracy {
    return accuracyOf(this.#counts[0]!, this.#counts[1]!);
  }

  get seen(): WordAccuracy {
    return accuracyOf(this.#counts[2]!, this.#counts[3]!);
  }
}

function accuracyOf(tokens: number, correct: number): WordAccuracy {
  return { tokens, correct, accuracy: percent(correct, tokens) };
}
