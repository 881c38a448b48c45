import type { AllowedLabels } from '../../core/minibatch/encoded-sentence.js';

/** Words of a learned dictionary with their label numbers, ascending. */
export type LearnedWords = readonly (readonly [word: string, labels: readonly number[]])[];

/** All words with their counts and label numbers, ascending: the state for resuming a run. */
export type CountedWords = readonly (readonly [
  word: string,
  times: number,
  labels: readonly number[],
])[];

interface WordCount {
  times: number;
  readonly labels: Set<number>;
}

/**
 * Counts the occurrences of words in labelled sentences by label, for a dictionary of frequent words.
 * Words are case-sensitive. Every word takes memory.
 *
 * @example
 * const counts = new DictionaryCounts(2);
 * counts.note(['the', 'dog', 'the'], Int32Array.of(0, 1, 0));
 * counts.words() // => [['the', [0]]]
 */
export class DictionaryCounts {
  readonly #minCount: number;
  readonly #words = new Map<string, WordCount>();
  #tokens = 0;
  #listed: { readonly tokens: number; readonly words: LearnedWords } | undefined;

  /** @param counted the result of `save` */
  constructor(minCount: number, counted: CountedWords = []) {
    this.#minCount = minCount;
    for (const [word, times, labels] of counted) {
      this.#words.set(word, { times, labels: new Set(labels) });
      this.#tokens += times;
    }
  }

  note(tokens: readonly string[], labels: Int32Array): void {
    for (let t = 0; t < labels.length; t += 1) this.#count(tokens[t]!).labels.add(labels[t]!);
  }

  /** Does the same for a partially labelled sentence; words with unknown labels do not count. */
  noteAllowed(tokens: readonly string[], { starts, labels }: AllowedLabels): void {
    for (let t = 0; t < tokens.length; t += 1) {
      if (starts[t] === starts[t + 1]) continue;
      const word = this.#count(tokens[t]!);
      for (let k = starts[t]!; k < starts[t + 1]!; k += 1) word.labels.add(labels[k]!);
    }
  }

  #count(token: string): WordCount {
    let word = this.#words.get(token);
    if (word === undefined) {
      word = { times: 0, labels: new Set() };
      this.#words.set(token, word);
    }
    word.times += 1;
    this.#tokens += 1;
    return word;
  }

  /** Returns the words that occurred at least `minCount` times, in order of first occurrence. */
  words(): LearnedWords {
    if (this.#listed?.tokens === this.#tokens) return this.#listed.words;
    const words = [...this.#words]
      .filter(([, { times }]) => times >= this.#minCount)
      .map(([word, { labels }]) => [word, ascending(labels)] as const);
    this.#listed = { tokens: this.#tokens, words };
    return words;
  }

  save(): CountedWords {
    return Array.from(this.#words, ([word, { times, labels }]) => [word, times, ascending(labels)]);
  }
}

function ascending(labels: ReadonlySet<number>): number[] {
  return [...labels].sort((a, b) => a - b);
}
