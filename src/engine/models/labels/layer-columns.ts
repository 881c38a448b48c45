import { TagstreamError } from '../../core/errors.js';
import type { LabelLayers } from '../../kernels/store/label-columns.js';
import { ColumnNames } from './column-names.js';

/**
 * The columns of labels with layers: `DT|B-NP` has those of `DT|` and `|B-NP`, `DT|B-NP|O` those of `DT||`, `|B-NP|`
 * and `||O`, numbered in order of first occurrence. The first label determines the number of layers.
 *
 * @example
 * const columns = new LayerColumns('|');
 * for (const tag of ['DT|B-NP', 'NN|I-NP', 'NN|B-NP']) columns.add(tag);
 * columns.names // => ['DT|', '|B-NP', 'NN|', '|I-NP']
 * columns.layers // => [[0, 2, 2], [1, 3, 1]]
 */
export class LayerColumns {
  readonly separator: string;
  readonly #names = new ColumnNames();
  readonly #layers: number[][] = [];
  /** Columns of each label, by layer; grows. */
  readonly layers: LabelLayers = this.#layers;

  constructor(separator: string) {
    this.separator = separator;
  }

  get names(): readonly string[] {
    return this.#names.all;
  }

  /**
   * Adds a label.
   *
   * @throws TagstreamError `unknown-label` unless it consists of two or more names joined by the separator, the same
   *   number as in the other labels
   */
  add(label: string): void {
    const { separator } = this;
    const names = label.split(separator);
    const count = this.#layers.length;
    if (names.length < 2 || names.includes('') || (count > 0 && names.length !== count)) {
      const layers = count <= 2 ? 'two layers' : `${count} layers`;
      throw new TagstreamError('unknown-label', `the tag "${label}" does not have ${layers}`, {
        fix: `write ${count <= 2 ? 'two' : count} tags with "${separator}" between them, or leave layers out`,
      });
    }
    for (const [layer, name] of names.entries()) {
      this.#layers[layer] ??= [];
      this.#layers[layer].push(this.#names.number(this.#columnName(name, layer, names.length)));
    }
  }

  /**
   * Creates columns with these names, before any label; returns undefined if a name occurs twice.
   */
  static of(separator: string, names: readonly string[]): LayerColumns | undefined {
    const columns = new LayerColumns(separator);
    return columns.#names.start(names) ? columns : undefined;
  }

  /** Returns the label made of the given columns, one per layer. */
  labelOf(columns: readonly number[]): string {
    const names = columns.map(column => this.#names.all[column]?.replaceAll(this.separator, ''));
    return names.join(this.separator);
  }

  /** Returns the number of a column's layer. */
  layerOf(column: number): number {
    const name = this.names[column]!;
    let layer = 0;
    while (name.startsWith(this.separator, layer * this.separator.length)) layer += 1;
    return layer;
  }

  /** Forgets the labels from number `size` on; keeps their columns. */
  truncate(size: number): void {
    for (const layer of this.#layers) layer.length = Math.min(size, layer.length);
  }

  #columnName(name: string, layer: number, count: number): string {
    return this.separator.repeat(layer) + name + this.separator.repeat(count - 1 - layer);
  }
}
