/** Names of columns that labels are made of, numbered in the order in which they were first seen. */
export class ColumnNames {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a name; a new one gets the next. */
  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.length);
    return this.all.push(name) - 1;
  }

  /** Adds names before any label; false where one comes twice. */
  start(names: readonly string[]): boolean {
    for (const name of names) this.number(name);
    return this.all.length === names.length;
  }
}
