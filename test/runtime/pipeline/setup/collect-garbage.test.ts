import { getHeapSpaceStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../../../src/runtime/pipeline/setup/collect-garbage.js';

it('collects old objects too, and gives the room of young ones back', async () => {
  // Objects that have outlived a few collections, as those that a corpus is read with.
  let kept: unknown[] | undefined = Array.from({ length: 400_000 }, (_, i) => ({ number: [i] }));
  const old = new WeakRef(kept);
  expect(kept.length).toBe(400_000);
  kept = undefined;
  // What a reference gives is kept to the end of the turn.
  await new Promise(setImmediate);
  await collectGarbage();
  expect(old.deref()).toBeUndefined();
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!;
  expect(young.space_size).toBeLessThan(8 * 2 ** 20);
});
