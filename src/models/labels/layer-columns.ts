import { TagstreamError } from '../../core/errors.js';
import type { LayerPairs } from '../../kernels/store/label-columns.js';
import { ColumnNames } from './column-names.js';

/**
 * The columns that labels of two layers are made of: for `DT|B-NP` those of `DT|` and `|B-NP`, numbered in the order in
 * which they were first seen.
 *
 * @example
 * const columns = new LayerColumns('|');
 * for (const tag of ['DT|B-NP', 'NN|I-NP', 'NN|B-NP']) columns.add(tag);
 * columns.names // => ['DT|', '|B-NP', 'NN|', '|I-NP']
 * columns.pairs // => { first: [0, 2, 2], second: [1, 3, 1] }
 */
export class LayerColumns {
  readonly separator: string;
  readonly #names = new ColumnNames();
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  /** The columns of each label; grows. */
  readonly pairs: LayerPairs = { first: this.#first, second: this.#second };

  constructor(separator: string) {
    this.separator = separator;
  }

  get names(): readonly string[] {
    return this.#names.all;
  }

  /**
   * Adds a label.
   *
   * @throws TagstreamError `unknown-label` where it is not two names with the separator between
   */
  add(label: string): void {
    const { separator } = this;
    const at = label.indexOf(separator);
    const rest = at + separator.length;
    if (at <= 0 || rest === label.length || label.includes(separator, rest)) {
      throw new TagstreamError('unknown-label', `the tag "${label}" does not have two layers`, {
        fix: `write two tags with "${separator}" between them, or leave layers out`,
      });
    }
    this.#first.push(this.#names.number(label.slice(0, rest)));
    this.#second.push(this.#names.number(label.slice(at)));
  }

  /** Adds columns of these names, before any label; undefined where one comes twice. */
  static of(separator: string, names: readonly string[]): LayerColumns | undefined {
    const columns = new LayerColumns(separator);
    return columns.#names.start(names) ? columns : undefined;
  }

  /** The label of two columns. */
  labelOf(first: number, second: number): string {
    const { all } = this.#names;
    return all[first]! + (all[second]?.slice(this.separator.length) ?? '');
  }

  /** Forgets the labels from number `size` on; their columns stay. */
  truncate(size: number): void {
    this.#first.length = Math.min(size, this.#first.length);
    this.#second.length = this.#first.length;
  }
}
