import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';

/** The bytes a region of `bytes` takes: the next multiple of 64. */
const taken = (bytes: number) => Math.ceil(bytes / 64) * 64;

function bytesAt(memory: LinearMemory, offset: number, length: number): Uint8Array {
  return new Uint8Array(memory.buffer, offset, length);
}

describe('LinearMemory', () => {
  it('gives regions that start at multiples of 64, not at 0, and do not overlap', () => {
    const memory = new LinearMemory();
    const offsets = [1, 64, 65, 8, 0, 8].map(bytes => memory.allocate(bytes));
    expect(offsets).toEqual([64, 128, 192, 320, 384, 384]);
  });

  it('uses a hole again, zeroed, the first that is large enough', () => {
    const memory = new LinearMemory();
    const [a, b, c, d] = [64, 64, 192, 64].map(bytes => memory.allocate(bytes)) as [
      number,
      number,
      number,
      number,
    ];
    bytesAt(memory, a, 384).fill(255);
    memory.free(a, 64);
    memory.free(c, 192);
    expect(memory.allocate(100)).toBe(c);
    expect(memory.allocate(64)).toBe(a);
    expect(memory.allocate(64)).toBe(c + 128);
    expect(memory.allocate(64)).toBe(d + 64);
    expect(bytesAt(memory, a, 64).every(byte => byte === 0)).toBe(true);
    expect(bytesAt(memory, c, 192).every(byte => byte === 0)).toBe(true);
    expect(bytesAt(memory, b, 64).every(byte => byte === 255)).toBe(true);
  });

  it.each([
    ['the one before', [0, 1, 2]],
    ['the one after', [2, 1, 0]],
    ['both', [0, 2, 1]],
  ])('merges a freed region with %s', (_, order) => {
    const memory = new LinearMemory();
    const offsets = [0, 1, 2].map(() => memory.allocate(64));
    const end = memory.allocate(64);
    for (const i of order) memory.free(offsets[i]!, 64);
    expect(memory.allocate(192)).toBe(offsets[0]);
    expect(memory.allocate(1)).toBe(end + 64);
  });

  it('lengthens a hole at its end that is too short, and zeroes it', () => {
    for (const isReadFirst of [false, true]) {
      const memory = new LinearMemory();
      memory.allocate(64);
      const last = memory.allocate(128);
      bytesAt(memory, last, 128).fill(255);
      memory.free(last, 128);
      expect(memory.allocate(300_000, isReadFirst)).toBe(last);
      expect(bytesAt(memory, last, 300_000).every(byte => byte === 0)).toBe(true);
      expect(memory.allocate(1)).toBe(last + taken(300_000));
    }
  });

  it('does not where other threads may have taken what follows', () => {
    const memory = new LinearMemory();
    memory.share();
    const last = memory.allocate(128);
    memory.free(last, 128);
    expect(memory.allocate(192)).toBe(last + 128);
    expect(memory.allocate(64)).toBe(last);
  });

  it('keeps what is in it when it grows', () => {
    const memory = new LinearMemory();
    const small = memory.allocate(1000);
    bytesAt(memory, small, 1000).fill(7);
    const before = memory.buffer;
    const large = memory.allocate(10 * 65536);
    expect(memory.buffer).not.toBe(before);
    expect(memory.buffer.byteLength).toBeGreaterThanOrEqual(11 * 65536);
    // A quarter more, so that little more does not make it grow again.
    const grown = memory.buffer;
    memory.allocate(65536);
    expect(memory.buffer).toBe(grown);
    expect(memory.buffer.byteLength).toBeLessThan(14 * 65536);
    expect(bytesAt(memory, small, 1000).every(byte => byte === 7)).toBe(true);
    expect(bytesAt(memory, large, 10 * 65536).every(byte => byte === 0)).toBe(true);
  });

  it('keeps its buffer until it grows', () => {
    for (const share of [false, true]) {
      const memory = new LinearMemory();
      if (share) memory.share();
      const before = memory.buffer;
      memory.allocate(64);
      expect(memory.buffer).toBe(before);
      const offset = memory.allocate(200_000);
      expect(memory.buffer).not.toBe(before);
      expect(memory.buffer).toBe(memory.memory.buffer);
      expect(memory.buffer.byteLength).toBeGreaterThanOrEqual(offset + 200_000);
    }
  });

  it('grows once for what it is told to expect', () => {
    const memory = new LinearMemory();
    memory.expect(3_000_000);
    const { buffer } = memory;
    const offsets = [1_000_000, 2_000_000 - 64].map(bytes => memory.allocate(bytes));
    expect(offsets).toEqual([64, 64 + 1_000_000]);
    expect(memory.buffer).toBe(buffer);
  });

  it('finds its buffer again where something else has made it grow', () => {
    const memory = new LinearMemory();
    memory.memory.grow(2);
    expect(memory.buffer.byteLength).toBe(3 * 65536);
    memory.share();
    const other = new LinearMemory(memory.memory);
    const offset = other.allocate(500_000);
    memory.refresh(offset + 500_000);
    expect(memory.buffer.byteLength).toBe(other.buffer.byteLength);
  });

  it('says how much was needed where that is more than there can be', () => {
    const memory = new LinearMemory();
    expect(() => memory.allocate(2 ** 33)).toThrow(
      expect.objectContaining({
        code: 'too-large',
        problem: 'the parameters need 8.00 GiB of memory',
      }),
    );
    // Nothing has been taken by the refusal.
    expect(memory.allocate(64)).toBe(64);
  });

  it('never gives out what is in use, whatever is allocated and freed', () => {
    const command = fc.oneof(
      fc.record({ allocate: fc.nat(3000) }),
      fc.record({ free: fc.nat(1000) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), commands => {
        const memory = new LinearMemory();
        const live: { offset: number; bytes: number; mark: number }[] = [];
        let mark = 0;
        for (const each of commands) {
          if ('allocate' in each) {
            const offset = memory.allocate(each.allocate);
            expect(offset % 64).toBe(0);
            const region = bytesAt(memory, offset, taken(each.allocate));
            expect(region.every(byte => byte === 0)).toBe(true);
            mark = (mark % 255) + 1;
            region.fill(mark);
            live.push({ offset, bytes: each.allocate, mark });
          } else if (live.length > 0) {
            const [gone] = live.splice(each.free % live.length, 1);
            memory.free(gone!.offset, gone!.bytes);
          }
        }
        for (const { offset, bytes, mark: own } of live) {
          const region = bytesAt(memory, offset, taken(bytes));
          expect(region.every(byte => byte === own)).toBe(true);
        }
        // All given back, the regions are one hole that starts where the first one did.
        const total = live.reduce((sum, { bytes }) => sum + taken(bytes), 0);
        for (const { offset, bytes } of live) memory.free(offset, bytes);
        if (total > 0) expect(memory.allocate(total)).toBe(64);
      }),
      { seed: 1, numRuns: 150 },
    );
  });
});
