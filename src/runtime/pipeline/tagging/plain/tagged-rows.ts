import type { LinearMemory } from '../../../../engine/kernels/memory/linear-memory.js';
import { Region, writeTexts } from '../../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../../engine/kernels/simd/record-functions.js';
import type { ResultRows } from '../../../../formats/codecs/conll/result-rows.js';
import type { RowReader } from '../../../../formats/codecs/conll/row-reader.js';
import type { TaggedBytes } from './tagged-bytes.js';

/** Number of words in a work order; see assembly/records/write-rows.ts. */
const orderWords = 7;

/** Bytes past a text that are copied along with it. */
const slack = 16;

/** Number of words per row of a reader: its start, its end, and whether it contains a tab. */
const rowWords = 3;

const encoder = new TextEncoder();

const lineEnd = Uint8Array.of(10);

/** Writes tagged sentences in columns as bytes: the original rows, each with its label as the last cell. */
export class TaggedRows {
  readonly #memory: LinearMemory;
  readonly #byTab: boolean;
  readonly #texts: Region;
  readonly #longest: number;
  readonly #labels: Region;
  readonly #order: number;
  readonly #out: TaggedBytes;

  /** @param cells labels as the text of cells */
  constructor(memory: LinearMemory, cells: readonly string[], byTab: boolean, out: TaggedBytes) {
    this.#memory = memory;
    this.#byTab = byTab;
    this.#texts = new Region(memory);
    this.#labels = new Region(memory);
    this.#order = memory.allocate(4 * orderWords);
    this.#out = out;
    const texts = cells.map(cell => encoder.encode(cell));
    this.#longest = Math.max(0, ...texts.map(({ length }) => length));
    writeTexts(this.#texts, texts, slack);
  }

  /**
   * Adds the first `count` sentences of those read last.
   *
   * @param labels labels of all tokens of the sentences
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
    this.#out.end = recordFunctions(this.#memory).writeRows(this.#order);
  }

  /** Adds a sentence of those read last, with the output of `resultRows` instead of labels. */
  addResults(reader: RowReader, sentence: number, { head, cells }: ResultRows): void {
    const first = reader.starts[sentence]!;
    const end = reader.starts[sentence + 1]!;
    const rows = new Uint32Array(this.#memory.buffer, reader.rows.places, rowWords * end);
    const places = rows.slice(rowWords * first);
    let bytes = 1;
    const written = Array.from({ length: end - first }, (_, t) => {
      const [from, to, hasTab] = places.subarray(rowWords * t);
      const between = this.#byTab || hasTab !== 0 ? '\t' : ' ';
      const ending = encoder.encode(`${between}${cells(t, between)}\n`);
      bytes += to! - from! + ending.length;
      return { from: from!, to: to!, ending };
    });
    const beginning = encoder.encode(head);
    // Must happen now: growing memory invalidates views of it.
    this.#out.reserve(beginning.length + bytes);
    this.#out.add(beginning);
    for (const { from, to, ending } of written) {
      this.#out.add(new Uint8Array(this.#memory.buffer, from, to - from));
      this.#out.add(ending);
    }
    this.#out.add(lineEnd);
  }
}
