import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { unhurried } from '../../../src/engine/operators/unhurried.js';

/** Numbers from 0, each of which takes some time. */
function* slow(count: number, milliseconds: number): Generator<number> {
  for (let i = 0; i < count; i += 1) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    yield i;
  }
}

describe('unhurried', () => {
  it('emits all, in order', async () => {
    expect(await lastValueFrom(unhurried(slow(50, 0)).pipe(toArray()))).toEqual([
      ...Array(50).keys(),
    ]);
  });

  it.each([
    [1, 1],
    [5, 5],
    [undefined, 16],
  ])('with the stride %s lets others have their turn after %i slow items', async (stride, most) => {
    const seen: number[] = [];
    await new Promise<void>(resolve => {
      // Asked for before the first slice, so that it comes before the second.
      setImmediate(() => {
        subscription.unsubscribe();
        resolve();
      });
      const subscription = unhurried(slow(40, 11), stride).subscribe(item => seen.push(item));
    });
    expect(seen).toEqual([...Array(most).keys()]);
  });
});
