import { describe, expect, it } from 'vitest';
import { AcknowledgedPrefix } from '../../src/io/acknowledged-prefix.js';
import { Gate } from '../../src/io/gate.js';

const turn = () => new Promise(resolve => setImmediate(resolve));

describe('Gate', () => {
  it('is full when as many items are taken as the budget allows', () => {
    const gate = new Gate(2);
    gate.take();
    expect(gate.isFull).toBe(false);
    gate.take();
    expect([gate.isFull, gate.underWay]).toEqual([true, 2]);
    gate.release();
    expect([gate.isFull, gate.underWay]).toEqual([false, 1]);
  });

  it('wakes who waits with the first release, and at once if there is room', async () => {
    const gate = new Gate(1);
    await gate.opened();
    gate.take();
    let open = false;
    void gate.opened().then(() => {
      open = true;
    });
    await turn();
    expect(open).toBe(false);
    gate.release();
    await turn();
    expect(open).toBe(true);
  });

  it('lets nobody wait once it is closed', async () => {
    const gate = new Gate(1);
    gate.take();
    const opened = gate.opened();
    gate.close();
    await opened;
    await gate.opened();
    expect(gate.isFull).toBe(false);
  });

  it.each([0, -1, Number.NaN])('refuses a budget of %d', budget => {
    expect(() => new Gate(budget)).toThrowError(`a budget of ${budget} items (give at least 1)`);
  });
});

describe('AcknowledgedPrefix', () => {
  it('advances over settled records only, whatever the order they settle in', () => {
    const ends: number[] = [];
    const prefix = new AcknowledgedPrefix(position => ends.push(position.end));
    const records = Array.from({ length: 5000 }, (_, i) => ({
      position: { source: 'a', line: i + 1, start: i, end: i + 1 },
      settled: false,
    }));
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
});
