import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { attempt } from '../../../src/engine/operators/attempt.js';
import { CountingDelivery } from './counting-delivery.js';

interface Item {
  readonly name: string;
  readonly delivery?: CountingDelivery;
}

const operator = attempt(({ name }: Item) => {
  if (name === 'bad') throw new TagstreamError('not-a-number', 'no number');
  if (name === 'foreign') throw new RangeError('out of range');
  return name.toUpperCase();
});

function withMarbles(run: Parameters<TestScheduler['run']>[0]): void {
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(run);
}

describe('attempt', () => {
  it('maps, drops what it rejects, and continues', () => {
    const delivery = new CountingDelivery();
    withMarbles(({ cold, expectObservable, expectSubscriptions }) => {
      const items = { a: { name: 'a' }, x: { name: 'bad', delivery }, b: { name: 'b' } };
      const source = cold('-a-x-b-|', items);
      expectObservable(source.pipe(operator)).toBe('-A---B-|', { A: 'A', B: 'B' });
      expectSubscriptions(source.subscriptions).toBe('^------!');
    });
    expect(delivery.calls).toEqual([0, 0, 1]);
  });

  it('ends at a bad item without a delivery, and lets the source go', () => {
    withMarbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-x-a-|', { a: { name: 'a' }, x: { name: 'bad' } });
      const error = new TagstreamError('not-a-number', 'no number');
      expectObservable(source.pipe(operator)).toBe('-A-#', { A: 'A' }, error);
      expectSubscriptions(source.subscriptions).toBe('^--!');
    });
  });

  it('gives other errors a code, and keeps them as the cause', () => {
    const delivery = new CountingDelivery();
    withMarbles(({ cold, expectObservable }) => {
      const source = cold<Item>('x|', { x: { name: 'foreign', delivery } });
      expectObservable(source.pipe(operator)).toBe('-|');
    });
    const [error] = delivery.rejections;
    expect(error).toMatchObject({ code: 'stage', problem: 'out of range' });
    expect(error!.cause).toBeInstanceOf(RangeError);
  });

  it('lets the source go when its subscriber leaves', () => {
    withMarbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-a-b-c-', { a: { name: 'a' }, b: { name: 'b' }, c: { name: 'c' } });
      expectObservable(source.pipe(operator), '^---!').toBe('-A-B', { A: 'A', B: 'B' });
      expectSubscriptions(source.subscriptions).toBe('^---!');
    });
  });
});
