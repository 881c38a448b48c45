/** The words of a dictionary that was learned, each with the numbers of its labels, ascending. */
export type LearnedWords = readonly (readonly [word: string, labels: readonly number[]])[];

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

  constructor(minCount: number) {
    this.#minCount = minCount;
  }

  note(tokens: readonly string[], labels: Int32Array): void {
    for (let t = 0; t < labels.length; t += 1) {
      let word = this.#words.get(tokens[t]!);
      if (word === undefined) {
        word = { times: 0, labels: new Set() };
        this.#words.set(tokens[t]!, word);
      }
      word.times += 1;
      word.labels.add(labels[t]!);
    }
    this.#tokens += labels.length;
  }

  /** The words that came `minCount` times, in the order in which they first came. */
  words(): LearnedWords {
    if (this.#listed?.tokens === this.#tokens) return this.#listed.words;
    const words = [...this.#words]
      .filter(([, { times }]) => times >= this.#minCount)
      .map(([word, { labels }]) => [word, [...labels].sort((a, b) => a - b)] as const);
    this.#listed = { tokens: this.#tokens, words };
    return words;
  }
}
