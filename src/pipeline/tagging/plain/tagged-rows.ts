import type { RowReader } from '../../../io/codecs/conll/row-reader.js';
import type { LinearMemory } from '../../../kernels/memory/linear-memory.js';
import { Region } from '../../../kernels/memory/region.js';
import { writeTexts } from '../../../kernels/memory/write-texts.js';
import { featureFunctions } from '../../../kernels/simd/feature-functions.js';
import type { TaggedBytes } from './tagged-bytes.js';

/** Words of a work order; see assembly/records/write-rows.ts. */
const orderWords = 7;

/** Bytes past a text that are copied along with it. */
const slack = 16;

/** Writes tagged sentences in columns as bytes: their own rows, each with its label as the last cell. */
export class TaggedRows {
  readonly #memory: LinearMemory;
  readonly #byTab: boolean;
  readonly #texts: Region;
  readonly #longest: number;
  readonly #labels: Region;
  readonly #order: number;
  readonly #out: TaggedBytes;

  /** @param cells labels as they stand in cells */
  constructor(memory: LinearMemory, cells: readonly string[], byTab: boolean, out: TaggedBytes) {
    this.#memory = memory;
    this.#byTab = byTab;
    this.#texts = new Region(memory);
    this.#labels = new Region(memory);
    this.#order = memory.allocate(4 * orderWords);
    this.#out = out;
    const texts = cells.map(cell => new TextEncoder().encode(cell));
    this.#longest = Math.max(0, ...texts.map(({ length }) => length));
    writeTexts(this.#texts, texts, slack);
  }

  /**
   * Adds the first `count` sentences that were read last.
   *
   * @param labels of all their tokens
   */
  add(reader: RowReader, count: number, labels: Int32Array): void {
    if (count === 0) return;
    this.#labels.write(labels);
    const more = labels.length * (this.#longest + 2) + count;
    this.#out.reserve(reader.bytesOf(count) + more + slack);
    const { places, sentenceEnds } = reader.rows;
    const order = new Uint32Array(this.#memory.buffer, this.#order, orderWords);
    order.set([places, count, sentenceEnds, this.#labels.offset, this.#texts.offset]);
    order.set([this.#byTab ? 1 : 0, this.#out.end], 5);
    this.#out.end = featureFunctions(this.#memory).writeRows(this.#order);
  }
}
