/** Bytes that there is room for at first. */
const leastRoom = 65_536;

/**
 * Collects NDJSON records in their shortest form, `{"id":...,"tags":[...]}`, as bytes.
 *
 * @example
 * const lines = new TaggedLines(['O', 'B-X']);
 * lines.add(new TextEncoder().encode('7'), Int32Array.of(1, 0), 0, 2);
 * new TextDecoder().decode(lines.take()) // => '{"id":7,"tags":["B-X","O"]}\n'
 */
export class TaggedLines {
  /** Labels as they stand in JSON, with a comma after them. */
  readonly #labels: readonly Uint8Array[];
  readonly #longest: number;
  #bytes = new Uint8Array(leastRoom);
  #length = 0;

  constructor(labels: readonly string[]) {
    const encoder = new TextEncoder();
    this.#labels = labels.map(label => encoder.encode(`${JSON.stringify(label)},`));
    this.#longest = Math.max(0, ...this.#labels.map(({ length }) => length));
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a record with the labels [from, to); `id` as it stands in JSON. */
  add(id: Uint8Array | undefined, labels: Int32Array, from: number, to: number): void {
    this.#reserve((id?.length ?? 0) + head.length + tail.length + (to - from) * this.#longest + 8);
    const bytes = this.#bytes;
    let at = this.#length;
    if (id === undefined) {
      at = put(bytes, at, head);
    } else {
      at = put(bytes, at, idHead);
      bytes.set(id, at);
      at = put(bytes, at + id.length, headAfterId);
    }
    for (let t = from; t < to; t += 1) {
      const label = this.#labels[labels[t]!]!;
      for (let i = 0; i < label.length; i += 1) bytes[at + i] = label[i]!;
      at += label.length;
    }
    // In the place of the last comma.
    this.#length = put(bytes, at - 1, tail);
  }

  /** Adds lines that are written already. */
  addBytes(lines: Uint8Array): void {
    this.#reserve(lines.length);
    this.#bytes.set(lines, this.#length);
    this.#length += lines.length;
  }

  /** All bytes, which are the caller's then. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#length + more, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
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
