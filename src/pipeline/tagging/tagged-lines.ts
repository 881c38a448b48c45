import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';
import { writeTexts } from '../../kernels/memory/write-texts.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';

/** Bytes that there is room for at first. */
const leastRoom = 131_072;

/** Bytes past a text that are copied along with it. */
const slack = 16;

/**
 * Collects NDJSON records in their shortest form, `{"id":...,"tags":[...]}`, as bytes.
 */
export class TaggedLines {
  readonly #memory: LinearMemory;
  /** Addresses and lengths of the labels as they stand in JSON with a comma after them, and these texts. */
  readonly #texts: Region;
  readonly #longest: number;
  readonly #labels: Region;
  readonly #out: Region;
  #length = 0;
  #view = new Uint8Array(0);

  constructor(memory: LinearMemory, labels: readonly string[]) {
    this.#memory = memory;
    this.#texts = new Region(memory);
    this.#labels = new Region(memory);
    this.#out = new Region(memory);
    this.#out.reserve(leastRoom);
    const texts = labels.map(label => new TextEncoder().encode(`${JSON.stringify(label)},`));
    this.#longest = Math.max(0, ...texts.map(({ length }) => length));
    writeTexts(this.#texts, texts, slack);
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Forgets what there is. */
  clear(): void {
    this.#length = 0;
  }

  /** Takes the labels that the next records have. */
  open(labels: Int32Array): void {
    this.#labels.write(labels);
  }

  /** Adds a record with the labels [from, to), and the id that stands in memory as in JSON, if it has bytes. */
  add(from: number, to: number, id = 0, idBytes = 0): void {
    const fixed = idHead.length + idBytes + headAfterId.length + tail.length;
    this.#reserve(fixed + (to - from) * this.#longest + slack);
    const bytes = this.#bytes();
    let at = this.#out.offset + this.#length;
    if (idBytes === 0) {
      at = put(bytes, at, head);
    } else {
      at = put(bytes, at, idHead);
      bytes.copyWithin(at, id, id + idBytes);
      at = put(bytes, at + idBytes, headAfterId);
    }
    const labels = this.#labels.offset + 4 * from;
    const { writeLabels } = featureFunctions(this.#memory);
    const end = writeLabels(labels, to - from, this.#texts.offset, at);
    // In the place of the last comma.
    this.#length = put(bytes, end - 1, tail) - this.#out.offset;
  }

  /** Adds lines that are written already. */
  addBytes(lines: Uint8Array): void {
    this.#reserve(lines.length);
    this.#bytes().set(lines, this.#out.offset + this.#length);
    this.#length += lines.length;
  }

  /** All bytes, which are the caller's then. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#length);
    taken.set(this.#written());
    this.#length = 0;
    return taken;
  }

  /** All of the memory. */
  #bytes(): Uint8Array {
    const { buffer } = this.#memory;
    if (this.#view.buffer !== buffer) this.#view = new Uint8Array(buffer);
    return this.#view;
  }

  #written(): Uint8Array {
    return this.#bytes().subarray(this.#out.offset, this.#out.offset + this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#out.bytes) return;
    const kept = this.#written().slice();
    this.#out.reserve(this.#length + more);
    this.#bytes().set(kept, this.#out.offset);
  }
}

const head = new TextEncoder().encode('{"tags":[');
const idHead = new TextEncoder().encode('{"id":');
const headAfterId = new TextEncoder().encode(',"tags":[');
const tail = new TextEncoder().encode(']}\n');

function put(bytes: Uint8Array, at: number, piece: Uint8Array): number {
  for (let i = 0; i < piece.length; i += 1) bytes[at + i] = piece[i]!;
  return at + piece.length;
}
