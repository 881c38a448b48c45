/** Integers from 0 below 2^32, in bytes of seven bits, low ones first; the top bit says that more follow. */
export class VarIntWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  write(value: number): void {
    if (this.#length + 5 > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#bytes.length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    let rest = value >>> 0;
    for (; rest >= 0x80; rest >>>= 7) {
      this.#bytes[this.#length] = (rest & 0x7f) | 0x80;
      this.#length += 1;
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** What was written. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Reads what `VarIntWriter` wrote; past the end, or where no integer is, it has `failed`. */
export class VarIntReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  failed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether all is read. */
  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  read(): number {
    const bytes = this.#bytes;
    // Most take one byte; past the end there is none.
    const first = bytes[this.#at]!;
    if (first < 0x80) {
      this.#at += 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      if (this.#at >= bytes.length) break;
      const byte = bytes[this.#at]!;
      this.#at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    this.failed = true;
    return 0;
  }
}
