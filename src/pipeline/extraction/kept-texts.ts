/** Texts by numbers of their own, each kept once, for as long as a sentence may be asked for them. */
export class KeptTexts {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a text, the next one if it has none. */
  add(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.length;
      this.#texts.push(text);
      this.#numbers.set(text, number);
    }
    return number;
  }

  /** The texts of numbers, in their order. */
  all(numbers: Uint32Array): string[] {
    return Array.from(numbers, number => this.#texts[number]!);
  }
}
