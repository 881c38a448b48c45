import { LinearMemory } from './memory/linear-memory.js';
import { instantiate } from './simd/instantiate.js';

/** Number of words in 16 tables. */
const tableWords = 16 * 256;

/** Number of bytes copied into the module's memory at a time. */
const chunk = 2 ** 14;

/**
 * Returns the CRC-32C (Castagnoli) of `bytes`, continuing from `previous`. It detects every single
 * error burst of up to 32 bits, but does not protect against deliberate changes.
 *
 * @example
 * checksum(new TextEncoder().encode('123456789')).toString(16) // => 'e3069283'
 */
export function checksum(bytes: Uint8Array, previous = 0): number {
  machine ??= new ChecksumMachine();
  let state = ~previous;
  for (let from = 0; from < bytes.length; from += chunk) {
    state = machine.feed(bytes.subarray(from, from + chunk), state);
  }
  return ~state >>> 0;
}

let machine: ChecksumMachine | undefined;

type Crc32c = (tables: number, bytes: number, length: number, state: number) => number;

class ChecksumMachine {
  readonly #tables: number;
  readonly #bytes: number;
  readonly #view: Uint8Array;
  readonly #crc32c: Crc32c;

  constructor() {
    const memory = new LinearMemory();
    this.#tables = memory.allocate(4 * tableWords);
    this.#bytes = memory.allocate(chunk);
    new Uint32Array(memory.buffer, this.#tables, tableWords).set(crcTables());
    this.#view = new Uint8Array(memory.buffer, this.#bytes, chunk);
    this.#crc32c = instantiate(memory.memory).crc32c as Crc32c;
  }

  feed(bytes: Uint8Array, state: number): number {
    this.#view.set(bytes);
    return this.#crc32c(this.#tables, this.#bytes, bytes.length, state);
  }
}

/** Returns tables of 256 words each, one after the other; see `simd/assembly/checksum.ts`. */
function crcTables(): Uint32Array {
  const tables = new Uint32Array(tableWords);
  for (let n = 0; n < 256; n += 1) {
    let c = n;
    for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
    tables[n] = c;
  }
  for (let i = 256; i < tables.length; i += 1) {
    const c = tables[i - 256]!;
    tables[i] = tables[c & 0xff]! ^ (c >>> 8);
  }
  return tables;
}
