import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../../src/engine/core/delivery/delivery.js';
import { Gate } from '../../../../src/runtime/io/sources/gate.js';
import { AcknowledgedPrefix } from '../../../../src/runtime/io/sources/source-delivery.js';

const turn = () => new Promise(resolve => setImmediate(resolve));

describe('Gate', () => {
  it('admits as many items as the budget allows', () => {
    const gate = new Gate({ items: 2 });
    gate.take(10);
    expect(gate.admits(10)).toBe(true);
    gate.take(10);
    expect([gate.admits(0), gate.items, gate.bytes]).toEqual([false, 2, 20]);
    gate.release(10);
    expect([gate.admits(1000), gate.items, gate.bytes, gate.releases]).toEqual([true, 1, 10, 1]);
  });

  it('admits as many bytes, and an item above the budget alone', () => {
    const gate = new Gate({ items: 10, bytes: 100 });
    expect(gate.admits(1000)).toBe(true);
    gate.take(60);
    expect([gate.admits(40), gate.admits(41), gate.admits(1000)]).toEqual([true, false, false]);
    gate.release(60);
    gate.take(1000);
    expect(gate.admits(1)).toBe(false);
    gate.release(1000);
    expect(gate.admits(1000)).toBe(true);
  });

  it('wakes who waits once there is room for it, and at once if there is', async () => {
    const gate = new Gate({ items: 10, bytes: 100 });
    await gate.opened(500);
    gate.take(50);
    gate.take(50);
    let open = false;
    void gate.opened(60).then(() => {
      open = true;
    });
    await turn();
    gate.release(50);
    await turn();
    expect(open).toBe(false);
    gate.release(50);
    await turn();
    expect(open).toBe(true);
    expect(gate.waitedMilliseconds).toBeGreaterThan(0);
  });

  it('lets nobody wait once it is closed', async () => {
    const gate = new Gate({ items: 1 });
    gate.take(1);
    const opened = gate.opened(1);
    gate.close();
    await opened;
    await gate.opened(1);
    expect(gate.admits(1)).toBe(true);
  });

  it.each([0, -1, Number.NaN])('refuses a budget of %d', items => {
    expect(() => new Gate({ items })).toThrowError(`the budget is ${items} items (use at least 1)`);
    expect(() => new Gate({ items: 1, bytes: items })).toThrowError(`the budget is ${items} bytes`);
  });

  it('never holds more than its budget, whatever comes and goes', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(60)), { maxLength: 200 });
    fc.assert(
      fc.property(steps, all => {
        const gate = new Gate({ items: 5, bytes: 100 });
        const taken: number[] = [];
        for (const [arrives, size] of all) {
          if (arrives && gate.admits(size)) {
            gate.take(size);
            taken.push(size);
          } else if (!arrives && taken.length > 0) gate.release(taken.shift()!);
          expect(gate.items).toBe(taken.length);
          expect(gate.items).toBeLessThanOrEqual(5);
          expect(gate.bytes).toBe(taken.reduce((sum, bytes) => sum + bytes, 0));
          expect(gate.bytes).toBeLessThanOrEqual(100);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe('AcknowledgedPrefix', () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      last: { source: 'a', line: i + 1, start: i, end: i + 1 },
      settled: false,
    }));

  it('advances over settled records only, whatever the order they settle in', () => {
    const ends: number[] = [];
    const prefix = new AcknowledgedPrefix(position => ends.push(position.end));
    const records = entries(5000);
    for (const record of records) prefix.open(record);
    // In blocks of 100, each from its last to its first: only the first settles the block.
    for (let block = 0; block < 5000; block += 100) {
      for (let i = block + 99; i >= block; i -= 1) {
        records[i]!.settled = true;
        prefix.advance();
      }
    }
    expect(ends).toEqual(Array.from({ length: 50 }, (_, i) => 100 * (i + 1)));
  });

  it('lets a record stand for those that follow it, and for no other', () => {
    const ends: number[] = [];
    const prefix = new AcknowledgedPrefix(position => ends.push(position.end));
    const [a, b, c, d] = entries(4) as [Entry, Entry, Entry, Entry];
    for (const record of [a, b, c, d]) prefix.open(record);
    expect(prefix.absorb(a, c)).toBe(false);
    expect([prefix.absorb(a, b), prefix.absorb(a, c)]).toEqual([true, true]);
    a.settled = true;
    prefix.advance();
    expect(ends).toEqual([3]);
    expect(prefix.absorb(a, d)).toBe(false);
    const e = { last: { source: 'a', line: 9, start: 8, end: 9 }, settled: true };
    prefix.open(e);
    d.settled = true;
    prefix.advance();
    expect(ends).toEqual([3, 9]);
  });
});

type Entry = { last: Position; settled: boolean };
