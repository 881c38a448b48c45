import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delivery, shareDelivery } from '../../../../src/engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../../src/engine/core/errors.js';

/** A delivery that writes down what it is given. */
function recorded(): { delivery: Delivery; calls: string[] } {
  const calls: string[] = [];
  const delivery: Delivery = {
    position: { source: 'a.ndjson', line: 3, start: 10, end: 20 },
    release: () => calls.push('release'),
    ack: () => calls.push('ack'),
    reject: error => calls.push(`reject ${error.problem}`),
  };
  return { delivery, calls };
}

const broken = new TagstreamError('wrong-shape', 'broken');

describe('shareDelivery', () => {
  it('is nothing where there is no delivery', () => {
    expect(shareDelivery(undefined, 3)).toBeUndefined();
  });

  it('is the delivery itself for a single item', () => {
    const { delivery } = recorded();
    expect(shareDelivery(delivery, 1)).toBe(delivery);
  });

  it('keeps the position', () => {
    const { delivery } = recorded();
    expect(shareDelivery(delivery, 2)!.position).toEqual({
      source: 'a.ndjson',
      line: 3,
      start: 10,
      end: 20,
    });
  });

  it('releases and acknowledges with the last item, each on its own', () => {
    const { delivery, calls } = recorded();
    const shared = shareDelivery(delivery, 3)!;
    shared.release();
    shared.ack();
    shared.release();
    expect(calls).toEqual([]);
    shared.release();
    expect(calls).toEqual(['release']);
    shared.ack();
    expect(calls).toEqual(['release']);
    shared.ack();
    expect(calls).toEqual(['release', 'ack']);
  });

  it('rejects at once, once, with the first error, and does not acknowledge then', () => {
    const { delivery, calls } = recorded();
    const shared = shareDelivery(delivery, 3)!;
    shared.ack();
    shared.reject(broken);
    expect(calls).toEqual(['reject broken']);
    shared.reject(new TagstreamError('wrong-shape', 'broken again'));
    shared.ack();
    shared.ack();
    expect(calls).toEqual(['reject broken']);
  });

  it('ends in one release and one acknowledgement or rejection, in whatever order items end', () => {
    const ends = fc.array(fc.boolean(), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(ends, fc.infiniteStream(fc.nat()), (rejected, choices) => {
        const { delivery, calls } = recorded();
        const shared = shareDelivery(delivery, rejected.length)!;
        const steps = rejected.flatMap(bad => [
          () => shared.release(),
          bad ? () => shared.reject(broken) : () => shared.ack(),
        ]);
        while (steps.length > 0) {
          const [step] = steps.splice(choices.next().value! % steps.length, 1);
          step!();
        }
        const end = rejected.includes(true) ? 'reject broken' : 'ack';
        expect(calls.toSorted()).toEqual([end, 'release'].toSorted());
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
