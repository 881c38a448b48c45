/** Names of the columns that make up labels, numbered in order of occurrence. */
export class ColumnNames {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** Returns the number of a name; a new name gets the next number. */
  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.length);
    return this.all.push(name) - 1;
  }

  /** Adds names before any label; returns false if a name occurs twice. */
  start(names: readonly string[]): boolean {
    for (const name of names) this.number(name);
    return this.all.length === names.length;
  }
}
