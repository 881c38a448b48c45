import type { AllowedLabels } from '../../core/minibatch/encoded-sentence.js';

/** The words of a dictionary that was learned, each with the numbers of its labels, ascending. */
export type LearnedWords = readonly (readonly [word: string, labels: readonly number[]])[];

/**
 * Every word with the times it came and the numbers of its labels, ascending: the state that a run resumes
 * from.
 */
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
 * Counts how often words come in labelled sentences, and with which labels, for a dictionary of those that
 * are frequent. Words count as they are written. Memory for every word.
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

  /** @param counted what `save` gave */
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

  /** The same of a partially labelled sentence: words of which nothing is known do not count. */
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

  /** The words that came `minCount` times, in the order in which they first came. */
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
