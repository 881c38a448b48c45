import type { LinearMemory } from './linear-memory.js';

/** Copies numbers to memory that is allocated for them; returns where they are. */
export function copiedBytes(
  numbers: Uint8Array | Uint16Array | Uint32Array,
  memory: LinearMemory,
): number {
  const offset = memory.allocate(numbers.byteLength);
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  new Uint8Array(memory.buffer, offset, bytes.length).set(bytes);
  return offset;
}
