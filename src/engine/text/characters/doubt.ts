import { isWordClass } from './character-classes.js';
import { type CharacterText, outside } from './character-text.js';
import { characterLabels, labelBits } from './labels.js';

/** Number of kinds of contexts that predict a character's label. */
const kinds = 6;

/**
 * Minimum number of occurrences of a context, all with the same label, for that label to be
 * certain.
 */
const leastCount = 12;

const comma = 0x2c;

const slots = 2 ** 20;
const labelMask = 2 ** labelBits - 1;

/** One occurrence in a count, which is stored above one bit per label. */
const counted = 2 ** characterLabels.length;

/**
 * Finds the characters of a text that are in doubt: those without a context that always had the
 * same label in training. Only such characters need a model. A character after white space that
 * follows punctuation other than a comma is always in doubt.
 *
 * A context is hashed to one of 2^20 slots, which stores three bits of the label and five of the
 * hash.
 */
export class Doubt {
  readonly #table = new Uint8Array(slots);
  readonly #keys = new Int32Array(kinds);

  /** @param certain context hashes, whose lowest three bits are the number of the label */
  constructor(certain: Uint32Array) {
    // The engine allocates for iterators, and for numbers above those of 32 bits with a sign.
    const keys = new Int32Array(certain.buffer, certain.byteOffset, certain.length);
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i]!;
      this.#table[slotOf(key)] = (checkOf(key) << labelBits) | (key & labelMask);
    }
  }

  /** Returns the label of a character if it is certain, otherwise -1. */
  certain(text: CharacterText, at: number): number {
    const keys = this.#keys;
    const count = contextsOf(text, at, keys);
    for (let i = 0; i < count; i += 1) {
      const key = keys[i]!;
      const entry = this.#table[slotOf(key)]!;
      if (entry !== 0 && entry >> labelBits === checkOf(key)) return entry & labelMask;
    }
    return -1;
  }
}

function slotOf(key: number): number {
  return (key >>> labelBits) & (slots - 1);
}

function checkOf(key: number): number {
  return (key >>> 27) | 1;
}

/** Counts the contexts of characters with known labels. */
export class DoubtCounter {
  /** Labels seen with each hash, as five bits; the higher bits are their count. */
  readonly #counts = new Map<number, number>();
  readonly #keys = new Int32Array(kinds);

  add(text: CharacterText, labels: Uint8Array): void {
    const keys = this.#keys;
    const counts = this.#counts;
    for (let at = 0; at < text.length; at += 1) {
      const count = contextsOf(text, at, keys);
      const bit = 1 << labels[at]!;
      for (let i = 0; i < count; i += 1) {
        const key = keys[i]! & ~labelMask;
        counts.set(key, ((counts.get(key) ?? 0) + counted) | bit);
      }
    }
  }

  /** Returns the certain contexts, for `Doubt`, in ascending order. */
  certain(): Uint32Array<ArrayBuffer> {
    const found: number[] = [];
    for (const [key, value] of this.#counts) {
      const bits = value & (counted - 1);
      if (value / counted < leastCount || (bits & (bits - 1)) !== 0) continue;
      found.push((key | (31 - Math.clz32(bits))) >>> 0);
    }
    return Uint32Array.from(found).sort();
  }
}

/**
 * Computes the hashes of a character's contexts, whose lowest three bits are unused, and returns
 * their number.
 */
function contextsOf(text: CharacterText, at: number, keys: Int32Array): number {
  const { folded, classes, length, chunkOf, chunkStarts, chunkHashes } = text;
  const point = (list: Int32Array, i: number) => (i < 0 || i >= length ? outside : list[i]!);
  if (text.isSpace(at)) {
    keys[0] = mixed(1, 1, 1, 1, 1);
    return 1;
  }
  const k0 = classes[at]!;
  const k1 = point(classes, at + 1);
  const chunk = chunkOf[at]!;
  if (chunkStarts[chunk] === at) {
    if (chunk === 0) {
      keys[0] = mixed(2, 2, 2, 2, 2);
      return 1;
    }
    const before = chunkHashes[chunk - 1]!;
    const k2 = point(classes, at + 2);
    const last = classes[text.chunkEnds[chunk - 1]! - 1]!;
    // A sentence end depends on more than these contexts: a dozen occurrences without a sentence
    // end do not rule it out.
    if (last !== comma && !isWordClass(last)) return 0;
    keys[0] = mixed(3, before, k0, k1, k2);
    keys[1] = mixed(4, last, chunkHashes[chunk]!, k0, k1);
    return 2;
  }
  const c1 = folded[at - 1]!;
  const c0 = folded[at]!;
  const next = point(folded, at + 1);
  keys[0] = mixed(5, point(folded, at - 2), c1, c0, next);
  keys[1] = mixed(6, point(folded, at - 3) ^ (point(classes, at - 2) << 8), c1, c0, k1);
  keys[2] = mixed(
    7 ^ (point(classes, at - 3) << 8),
    point(classes, at - 2),
    classes[at - 1]!,
    k0,
    k1 ^ (point(classes, at + 2) << 8),
  );
  keys[3] = mixed(8, chunkHashes[chunk]!, at - chunkStarts[chunk]!, 0, 0);
  return 4;
}

function mixed(a: number, b: number, c: number, d: number, e: number): number {
  let hash = Math.imul(a ^ 0x2545f491, 0x9e3779b1);
  hash = Math.imul(rotated(hash) ^ b, 0x85ebca6b);
  hash = Math.imul(rotated(hash) ^ c, 0xc2b2ae35);
  hash = Math.imul(rotated(hash) ^ d, 0x27d4eb2f);
  hash = Math.imul(rotated(hash) ^ e, 0x165667b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function rotated(hash: number): number {
  return (hash << 13) | (hash >>> 19);
}
