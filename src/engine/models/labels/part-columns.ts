import type { LabelParts } from '../../kernels/store/label-columns.js';
import { ColumnNames } from './column-names.js';

/**
 * The columns of labels composed of parts: `NOUN|Case=Nom` has those of `NOUN`, `Case=Nom` and the whole label,
 * numbered in order of first occurrence. A part counts once per label, at any position; a label with an empty part,
 * such as `|`, has one column.
 *
 * @example
 * const columns = new PartColumns('|');
 * for (const tag of ['NOUN|Case=Nom', 'NOUN', '|']) columns.add(tag);
 * columns.names // => ['NOUN', 'Case=Nom', 'NOUN|Case=Nom', '|']
 * columns.parts // => { starts: [0, 3, 4, 5], columns: [0, 1, 2, 0, 3] }
 */
export class PartColumns {
  readonly separator: string;
  readonly #names = new ColumnNames();
  readonly #starts: number[] = [0];
  readonly #columns: number[] = [];
  /** Columns of each label; grows. */
  readonly parts: LabelParts = { starts: this.#starts, columns: this.#columns };

  constructor(separator: string) {
    this.separator = separator;
  }

  get names(): readonly string[] {
    return this.#names.all;
  }

  /** Adds a label and its parts. */
  add(label: string): void {
    const names = [...partsOf(label, this.separator), label];
    const columns = new Set(names.map(name => this.#names.number(name)));
    this.#columns.push(...[...columns].sort((a, b) => a - b));
    this.#starts.push(this.#columns.length);
  }

  /**
   * Creates columns with these names, before any label; returns undefined if a name occurs twice.
   */
  static of(separator: string, names: readonly string[]): PartColumns | undefined {
    const columns = new PartColumns(separator);
    return columns.#names.start(names) ? columns : undefined;
  }

  /** Forgets the labels from number `size` on; keeps their columns. */
  truncate(size: number): void {
    this.#starts.length = Math.min(size + 1, this.#starts.length);
    this.#columns.length = this.#starts.at(-1)!;
  }
}

/**
 * Returns the parts of a label.
 *
 * @example
 * partsOf('NOUN|Case=Nom', '|') // => ['NOUN', 'Case=Nom']
 * partsOf('||', '|') // => ['||']
 */
export function partsOf(label: string, separator: string): string[] {
  const parts = label.split(separator);
  return parts.includes('') ? [label] : parts;
}
