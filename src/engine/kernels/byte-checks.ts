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
  const machine = ByteMachine.get();
  let state = ~previous;
  for (let from = 0; from < bytes.length; from += chunk) {
    state = machine.crc32c(bytes.subarray(from, from + chunk), state);
  }
  return ~state >>> 0;
}

/**
 * Maximum nesting depth, greater than that of any JSON header or manifest of the library; see
 * `jsonDepth`.
 */
export const deepestJson = 100;

/**
 * Returns the nesting depth of the arrays and objects in a JSON text, given as UTF-8, without parsing
 * it, so that a text made to exhaust the stack is detected before any code recurses into it. Cost
 * O(length).
 *
 * @example
 * jsonDepth(new TextEncoder().encode('{"a":[1,"[[["]}')) // => 2
 */
export function jsonDepth(json: Uint8Array): number {
  const machine = ByteMachine.get();
  let deepest = 0;
  for (let from = 0; from < json.length; from += chunk) {
    deepest = machine.jsonDepth(json.subarray(from, from + chunk), from === 0);
  }
  return deepest;
}

/** The functions of the module over bytes; addresses and counts are integers. */
interface ByteFunctions {
  crc32c(tables: number, bytes: number, length: number, state: number): number;
  jsonDepth(bytes: number, length: number, isFirst: number): number;
}

/** The functions, over a memory into which up to `chunk` bytes are copied. */
class ByteMachine {
  static #one: ByteMachine | undefined;
  readonly #tables: number;
  readonly #bytes: number;
  readonly #view: Uint8Array;
  readonly #functions: ByteFunctions;

  private constructor() {
    const memory = new LinearMemory();
    this.#tables = memory.allocate(4 * tableWords);
    this.#bytes = memory.allocate(chunk);
    new Uint32Array(memory.buffer, this.#tables, tableWords).set(crcTables());
    this.#view = new Uint8Array(memory.buffer, this.#bytes, chunk);
    this.#functions = instantiate(memory.memory) as unknown as ByteFunctions;
  }

  static get(): ByteMachine {
    ByteMachine.#one ??= new ByteMachine();
    return ByteMachine.#one;
  }

  crc32c(bytes: Uint8Array, state: number): number {
    this.#view.set(bytes);
    return this.#functions.crc32c(this.#tables, this.#bytes, bytes.length, state);
  }

  jsonDepth(bytes: Uint8Array, isFirst: boolean): number {
    this.#view.set(bytes);
    return this.#functions.jsonDepth(this.#bytes, bytes.length, isFirst ? 1 : 0);
  }
}

/** Returns tables of 256 words each, one after the other; see `simd/assembly/byte-checks.ts`. */
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
