import { concatMap, delay, from, lastValueFrom, of, Subject, timer, toArray } from 'rxjs';
import { map } from 'rxjs/operators';
import { describe, expect, it } from 'vitest';
import { FlowLedger } from '../../../src/engine/core/delivery/flow-ledger.js';
import { mergeOrdered } from '../../../src/engine/operators/merge-ordered.js';
import { CountingDelivery } from './counting-delivery.js';

interface Item {
  readonly n: number;
  readonly delivery?: CountingDelivery;
}

const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => ({ n }));

describe('mergeOrdered', () => {
  it('gives results in the order of the items, however long each takes', async () => {
    const waits = [9, 1, 5, 0, 7, 3];
    let most = 0;
    let working = 0;
    const work = ({ n }: Item) => {
      working += 1;
      most = Math.max(most, working);
      return timer(waits[n]!).pipe(
        concatMap(() => {
          working -= 1;
          return from([{ n }, { n: n + 0.5 }]);
        }),
      );
    };
    const results = from(items(6)).pipe(mergeOrdered(work, { concurrency: 3 }), toArray());
    expect((await lastValueFrom(results)).map(({ n }) => n)).toEqual([
      0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5,
    ]);
    expect(most).toBe(3);
  });

  it('passes the first item’s results on before its work has ended', () => {
    const works = [new Subject<Item>(), new Subject<Item>()];
    const seen: number[] = [];
    from(items(2))
      .pipe(mergeOrdered(({ n }) => works[n]!, { concurrency: 2 }))
      .subscribe(({ n }) => seen.push(n));
    works[1]!.next({ n: 10 });
    works[0]!.next({ n: 0 });
    expect(seen).toEqual([0]);
    works[0]!.complete();
    works[1]!.next({ n: 11 });
    expect(seen).toEqual([0, 10, 11]);
  });

  it('does not recurse where work ends at once', async () => {
    const gate = new Subject<Item>();
    const work = (item: Item) => (item.n === 0 ? gate : [item]);
    const all = lastValueFrom(from(items(50_000)).pipe(mergeOrdered(work), toArray()));
    gate.complete();
    expect((await all).length).toBe(49_999);
  });

  it('ends the delivery of an item of which nothing comes, and of one that fails', async () => {
    const deliveries = [0, 1, 2].map(n => new CountingDelivery(n + 1));
    const work = ({ n }: Item) => {
      if (n === 1) throw new Error('broken');
      return n === 0 ? [] : [{ n }];
    };
    const given = deliveries.map((delivery, n) => ({ n, delivery }));
    const results = await lastValueFrom(from(given).pipe(mergeOrdered(work), toArray()));
    expect(results.map(({ n }) => n)).toEqual([2]);
    expect(deliveries.map(({ calls }) => calls)).toEqual([
      [1, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect(deliveries[1]!.rejections.map(({ code }) => code)).toEqual(['stage']);
  });

  it('ends the stream with the error of an item without a delivery', async () => {
    const failing = from(items(1)).pipe(
      mergeOrdered((): Item[] => {
        throw new Error('broken');
      }),
    );
    await expect(lastValueFrom(failing)).rejects.toThrowError('broken');
  });

  it('reports what it holds, and stops its work when it is unsubscribed from', () => {
    const ledger = new FlowLedger();
    const source = new Subject<Item>();
    const work = new Subject<Item>();
    const options = { concurrency: 2, ledger, name: 'work' };
    const subscription = source.pipe(mergeOrdered(() => work, options)).subscribe();
    for (const item of items(5)) source.next(item);
    expect([ledger.describe(5), ledger.busy]).toEqual(['work holds 5', true]);
    subscription.unsubscribe();
    expect([work.observed, source.observed, ledger.describe(0)]).toEqual([false, false, '']);
  });

  it('works on promises and streams alike', async () => {
    const results = from(items(3)).pipe(
      mergeOrdered(
        ({ n }) =>
          of({ n }).pipe(
            delay(3 - n),
            map(item => item),
          ),
        { concurrency: 3 },
      ),
      toArray(),
    );
    expect((await lastValueFrom(results)).map(({ n }) => n)).toEqual([0, 1, 2]);
  });
});
