/** Longer texts may be views of the chunk that they were read with, and keep it in memory. */
const longest = 12;
const most = 2 ** 15;

/**
 * One string for equal short texts, for readers of columns: parts of speech, tags and frequent words come again and
 * again, and a corpus that is iterated over keeps them all. As many texts are known as fit; memory is bounded.
 *
 * @example
 * new RepeatedTexts().of('NN') // => 'NN'
 */
export class RepeatedTexts {
  readonly #known = new Map<string, string>();

  /** The text, as it was first met. Cost: a lookup. */
  of(text: string): string {
    if (text.length > longest) return text;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size < most) this.#known.set(text, text);
    return text;
  }
}
