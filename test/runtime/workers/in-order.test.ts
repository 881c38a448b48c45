import { describe, expect, it } from 'vitest';
import { inOrder } from '../../../src/runtime/workers/in-order.js';

const turn = () => new Promise(resolve => setImmediate(resolve));
const turns = async (count: number) => {
  for (let i = 0; i < count; i += 1) await turn();
};

/** Items that are counted as they are taken, and that end when they are asked to. */
function counted(count: number) {
  const taken = { count: 0, ended: false };
  async function* items() {
    while (taken.count < count && !taken.ended) yield taken.count++;
  }
  return { taken, items: items() };
}

describe('inOrder', () => {
  it('uses results in the order of the items, whichever is done first', async () => {
    const used: number[] = [];
    const done: number[] = [];
    await inOrder([5, 1, 4, 0, 3], {
      atMost: 5,
      work: async item => {
        await turns(item);
        done.push(item);
        return item * 2;
      },
      use: result => void used.push(result),
    });
    expect(done).toEqual([0, 1, 3, 4, 5]);
    expect(used).toEqual([10, 2, 8, 0, 6]);
  });

  it('uses a result before the next item is there', async () => {
    const used: number[] = [];
    async function* items() {
      yield 1;
      await turns(5);
      expect(used).toEqual([1]);
      yield 2;
    }
    const work = (item: number) => Promise.resolve(item);
    await inOrder(items(), { atMost: 2, work, use: result => void used.push(result) });
    expect(used).toEqual([1, 2]);
  });

  it('works on several at a time, and no more than was said', async () => {
    let now = 0;
    let most = 0;
    await inOrder(Array(40).keys(), {
      atMost: 3,
      work: async item => {
        now += 1;
        most = Math.max(most, now);
        await turns(1 + (item % 3));
        now -= 1;
      },
      use: () => undefined,
    });
    expect(most).toBe(3);
  });

  it('takes no further item while results wait to be used', async () => {
    const { taken, items } = counted(1000);
    let open: () => void = () => undefined;
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const all = inOrder(items, { atMost: 4, work: async item => item, use: () => gate });
    await turns(50);
    expect(taken.count).toBe(5);
    open();
    await all;
    expect(taken.count).toBe(1000);
  });

  it('rejects with the first error in the order of the items', async () => {
    const used: number[] = [];
    let failures = 0;
    const { taken, items } = counted(1000);
    const all = inOrder(items, {
      atMost: 4,
      work: async item => {
        if (item === 2) await turns(20);
        if (item >= 2) throw new Error(`broken ${item}`);
        return item;
      },
      use: result => void used.push(result),
      onFailure: () => {
        failures += 1;
        taken.ended = true;
      },
    });
    await expect(all).rejects.toThrowError('broken 2');
    expect(used).toEqual([0, 1]);
    expect(failures).toBe(1);
    expect(taken.count).toBeLessThan(10);
  });

  it('uses nothing after a use that failed', async () => {
    const used: number[] = [];
    const all = inOrder([0, 1, 2, 3, 4], {
      atMost: 2,
      work: async item => item,
      use: async result => {
        await turn();
        if (result === 2) throw new Error('full');
        used.push(result);
      },
    });
    await expect(all).rejects.toThrowError('full');
    expect(used).toEqual([0, 1]);
  });

  it('uses what came before an error of the items', async () => {
    const used: number[] = [];
    async function* items() {
      yield 0;
      yield 1;
      throw new Error('no more');
    }
    const work = async (item: number) => {
      await turns(5);
      return item;
    };
    const all = inOrder(items(), { atMost: 4, work, use: result => void used.push(result) });
    await expect(all).rejects.toThrowError('no more');
    expect(used).toEqual([0, 1]);
  });

  it('rejects with an earlier error of the work rather than one of the items', async () => {
    async function* items() {
      yield 0;
      throw new Error('later');
    }
    const work = async () => {
      await turns(5);
      throw new Error('earlier');
    };
    const all = inOrder(items(), { atMost: 4, work, use: () => undefined });
    await expect(all).rejects.toThrowError('earlier');
  });
});
