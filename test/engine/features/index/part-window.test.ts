import { describe, expect, it } from 'vitest';
import { PartWindow } from '../../../../src/engine/features/index/packed-index.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';

const part = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);

/** A window over the part, and how many bytes each reading took. */
function windowOf(bytes: number, memory = new LinearMemory()) {
  const reads: number[] = [];
  let next = 0;
  const window = new PartWindow(memory, bytes, part.length, into => {
    reads.push(into.length);
    into.set(part.subarray(next, next + into.length));
    next += into.length;
  });
  return { window, reads, memory };
}

describe('PartWindow', () => {
  it('has what is asked for in its place, wherever the window is', () => {
    for (const bytes of [100, 137, 999, 1000, 5000]) {
      const { window, memory, reads } = windowOf(bytes);
      for (let position = 0; position < part.length; position += 33) {
        const start = window.at(position, 60);
        const length = Math.min(60, part.length - position);
        const found = new Uint8Array(memory.buffer, start + position, length);
        expect(found).toEqual(part.subarray(position, position + length));
      }
      expect(reads.reduce((sum, count) => sum + count, 0)).toBe(part.length);
      expect(Math.max(...reads)).toBeLessThanOrEqual(bytes);
    }
  });

  it('reads nothing while it has enough', () => {
    const { window, reads } = windowOf(100);
    for (const position of [0, 10, 40]) window.at(position, 60);
    expect(reads).toEqual([100]);
    window.at(41, 60);
    expect(reads).toEqual([100, 41]);
  });

  it('gives its memory back', () => {
    const memory = new LinearMemory();
    windowOf(100, memory).window.free();
    expect(memory.allocate(104)).toBe(64);
  });
});
