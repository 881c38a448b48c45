import * as z from 'zod/mini';
import { TagstreamError } from '../../core/errors.js';
import type { State } from '../../core/training/state.js';
import { os } from '../files/node-parts.js';

export type SectionArray = State['arrays'][string];

const constructors = {
  u8: Uint8Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
};

/** Type of the array that a section holds. */
export const sectionType = z.enum(['u8', 'i32', 'u32', 'f32', 'f64']);

export type SectionType = z.output<typeof sectionType>;

/** The section type of an array; `where` names it in the error. */
export function typeOf(array: SectionArray, where: string): SectionType {
  for (const type of sectionType.options) {
    if (array instanceof constructors[type]) return type;
  }
  throw new TagstreamError('checkpoint', `${where} is not an array that a checkpoint can hold`, {
    fix: 'use Uint8Array, Int32Array, Uint32Array, Float32Array or Float64Array',
  });
}

/** An array of `length` zeros of a section's type. */
export function emptyArray(type: SectionType, length: number): SectionArray {
  return new constructors[type](length);
}

/** The bytes of one item. */
export function itemBytes(type: SectionType): number {
  return constructors[type].BYTES_PER_ELEMENT;
}

/** The memory of an array as bytes; not a copy. */
export function memoryOf(array: SectionArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * The bytes of an array, little-endian: its own memory where the machine is so, else a copy.
 *
 * @example
 * littleEndian(Int32Array.of(1)) // => Uint8Array.of(1, 0, 0, 0)
 */
export function littleEndian(array: SectionArray, machine = os().endianness()): Uint8Array {
  const bytes = memoryOf(array);
  return machine === 'LE' ? bytes : swapped(bytes, array.BYTES_PER_ELEMENT);
}

function swapped(bytes: Uint8Array, itemSize: number): Uint8Array {
  const copy = Buffer.from(bytes);
  if (itemSize === 4) copy.swap32();
  else if (itemSize === 8) copy.swap64();
  return copy;
}
