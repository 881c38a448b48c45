/**
 * The labels of a model, numbered in the order in which they were first seen.
 *
 * @example
 * const labels = new LabelSet(['O', 'B-PER']);
 * labels.intern('I-PER') // => 2
 */
export class LabelSet {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.intern(name);
  }

  get size(): number {
    return this.#names.length;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Number of a label, or -1 if it is not known. */
  find(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }

  /** Number of a label, a new one if need be. */
  intern(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    this.#names.push(name);
    return this.#names.length - 1;
  }

  /** Forgets the labels from number `size` on. */
  truncate(size: number): void {
    for (const name of this.#names.splice(size)) this.#numbers.delete(name);
  }

  name(number: number): string {
    return this.#names[number]!;
  }
}
