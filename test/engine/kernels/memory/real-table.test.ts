import { describe, expect, it } from 'vitest';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { RealTable } from '../../../../src/engine/kernels/memory/real-table.js';

describe('RealTable', () => {
  it('is empty at first', () => {
    const table = new RealTable(new LinearMemory(), 4);
    expect([table.width, table.capacity, table.view.length]).toEqual([4, 0, 0]);
  });

  it('keeps its rows when it grows; new ones are zero', () => {
    const memory = new LinearMemory();
    const table = new RealTable(memory, 3);
    table.reserve(2);
    table.view.set([1, 2, 3, 4, 5, 6]);
    // Far more than a page, so that the memory itself is replaced.
    table.reserve(20_000);
    expect(Array.from(table.view.subarray(0, 6))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(table.view.subarray(6).every(value => value === 0)).toBe(true);
    expect(table.view.length).toBe(3 * table.capacity);
    expect(table.view.byteOffset).toBe(table.offset);
    expect(table.offset % 64).toBe(0);
  });

  it('grows by at least half, and not at all where there is room', () => {
    const table = new RealTable(new LinearMemory(), 2);
    table.reserve(10);
    expect(table.capacity).toBe(10);
    table.reserve(11);
    expect(table.capacity).toBe(15);
    const offset = table.offset;
    table.reserve(15);
    table.reserve(3);
    expect([table.capacity, table.offset]).toEqual([15, offset]);
  });

  it('has a view that is good after another table has made the memory grow', () => {
    const memory = new LinearMemory();
    const table = new RealTable(memory, 1);
    table.reserve(3);
    table.view.set([1, 2, 3]);
    const old = table.view;
    new RealTable(memory, 1).reserve(100_000);
    expect(old.length).toBe(0);
    expect(Array.from(table.view)).toEqual([1, 2, 3]);
    table.view[1] = 9;
    expect(Array.from(table.view)).toEqual([1, 9, 3]);
  });

  it('is all zero in its new shape after a reset', () => {
    const memory = new LinearMemory();
    const table = new RealTable(memory, 4);
    table.reserve(8);
    table.view.fill(5);
    const next = new RealTable(memory, 1);
    next.reserve(1);
    next.view[0] = 6;
    table.reset(4, 8);
    expect([table.width, table.capacity]).toEqual([8, 4]);
    expect(Array.from(table.view)).toEqual(new Array(32).fill(0));
    table.reset(1000, 3);
    expect(table.view.every(value => value === 0)).toBe(true);
    expect(next.view[0]).toBe(6);
  });

  it('gives its old place back when it grows', () => {
    const memory = new LinearMemory();
    const table = new RealTable(memory, 8);
    table.reserve(1);
    const first = table.offset;
    table.reserve(2);
    expect(table.offset).not.toBe(first);
    expect(memory.allocate(64)).toBe(first);
  });
});
