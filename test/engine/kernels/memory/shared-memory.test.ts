import { describe, expect, it } from 'vitest';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { RealTable } from '../../../../src/engine/kernels/memory/real-table.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { placedStore, placesOf } from '../../../../src/engine/kernels/store/placed-store.js';

describe('a memory that is shared', () => {
  it('keeps what it held, where it was', () => {
    const memory = new LinearMemory();
    const table = new RealTable(memory, 4);
    table.reserve(3);
    table.view.set([1, 2, 3, 4, 5]);
    const before = memory.buffer;
    expect(memory.isShared).toBe(false);
    memory.share();
    expect(memory.isShared).toBe(true);
    expect(memory.buffer).not.toBe(before);
    expect(memory.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(Array.from(table.view.subarray(0, 6))).toEqual([1, 2, 3, 4, 5, 0]);
    const same = memory.memory;
    memory.share();
    expect(memory.memory).toBe(same);
  });

  it('gives each thread regions of its own, zeroed, and each its freed ones again', () => {
    const first = new LinearMemory();
    const early = first.allocate(100);
    first.share();
    const second = new LinearMemory(first.memory);
    const offsets = [first, second, second, first].map(memory => memory.allocate(200_000));
    expect(offsets[0]).toBe(early + 128);
    for (let i = 1; i < 4; i += 1) expect(offsets[i]! - offsets[i - 1]!).toBe(200_000);
    first.refresh(offsets[3]! + 200_000);
    expect(first.buffer.byteLength).toBeGreaterThanOrEqual(offsets[3]! + 200_000);
    new Uint8Array(first.buffer, offsets[1]!, 4).fill(7);
    expect(new Uint8Array(second.buffer, offsets[1]!, 1)[0]).toBe(7);
    second.free(offsets[1]!, 200_000);
    expect(first.allocate(64)).toBe(offsets[3]! + 200_000);
    expect(second.allocate(64)).toBe(offsets[1]!);
    expect(new Uint8Array(second.buffer, offsets[1]!, 1)[0]).toBe(0);
  });
});

describe('RealTable.place', () => {
  it('stands for numbers elsewhere, which it never frees', () => {
    const memory = new LinearMemory();
    const owner = new RealTable(memory, 4, 'float32');
    owner.reserve(10);
    const table = new RealTable(memory, 4, 'float32');
    table.reserve(2);
    const own = table.offset;
    table.place(owner.offset + 16, 3);
    table.view.fill(5);
    expect(Array.from(owner.view.subarray(0, 20))).toEqual([
      ...[0, 0, 0, 0],
      ...new Array(12).fill(5),
      ...[0, 0, 0, 0],
    ]);
    // Its own rows are free again; those of the other are not when it gets others.
    expect(memory.allocate(32)).toBe(own);
    table.reset(2, 4);
    expect(table.offset).not.toBe(owner.offset + 16);
    expect(owner.view[4]).toBe(5);
    expect(memory.allocate(16)).toBeGreaterThan(owner.offset + 160);
  });
});

describe.each([true, false])('placedStore, copy: %s', copy => {
  it('has the parameters of the other store, and its further planes in order', () => {
    const memory = new LinearMemory();
    const layout = { transitions: true, support: 'observed', precision: 'float32' } as const;
    const store = new ParameterStore(layout, 1, memory);
    store.reserve({ labels: 5, stateRows: 30, edgeRows: 3 });
    store.observeState(7, 2);
    store.observeEdge(0, 1, 2);
    store.observeEdge(2, 3, 4);
    store.fitPairs();
    const further = store.addPlane();
    store.scale = 0.25;
    store.weights.state.view[9] = 3;
    store.weights.edges.view[2] = 4;
    further.pairs.view[0] = 6;
    memory.share();
    const twin = placedStore(
      structuredClone(placesOf(store)),
      new LinearMemory(memory.memory),
      copy,
    );
    const twinFurther = twin.addPlane();
    const { labels, stateRows, edgeRows, scale, width } = store;
    expect(twin).toMatchObject({ labels, stateRows, edgeRows, scale, width });
    expect(twin.weights.state.view).toEqual(store.weights.state.view);
    expect(twin.weights.edges.view[2]).toBe(4);
    expect(twinFurther.pairs.view[0]).toBe(6);
    expect(twin.support!.state).toEqual(store.support!.state);
    expect(twin.pairs.heads).toEqual(store.pairs.heads);
    twin.weights.state.view[9] = -1;
    expect(store.weights.state.view[9]).toBe(copy ? 3 : -1);
  });
});
