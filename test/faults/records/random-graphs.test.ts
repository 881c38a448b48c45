// @module-tag slow
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import {
  bufferCount,
  concatMap,
  delay,
  filter,
  map,
  mergeMap,
  type Observable,
  type OperatorFunction,
  of,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Delivery, Position } from '../../../src/engine/core/delivery/delivery.js';
import { Random } from '../../../src/engine/core/random.js';
import { mergeOrdered } from '../../../src/engine/operators/merge-ordered.js';
import { tracked } from '../../../src/engine/operators/tracked.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { faultsSeed, printSeed } from '../seed.js';

printSeed('random graphs');

const budget = 12;
const records = 60;

interface Item {
  readonly weight: number;
  readonly delivery: Delivery;
}

type Step = OperatorFunction<Item, Item>;

const steps: Record<string, (size: number) => Step> = {
  drop: size => tracked(filter(({ weight }) => weight % (size + 1) !== 0)),
  copy: size => tracked(mergeMap(item => Array.from({ length: size % 4 }, () => item))),
  collect: size =>
    tracked(
      (items: Observable<Item>) =>
        items.pipe(
          bufferCount<Item>(size),
          map(all => ({ weight: all.reduce((sum, { weight }) => sum + weight, 0) })),
        ) as Observable<Item>,
      { items: size },
    ),
  wait: size => tracked(delay<Item>(size % 3), { concurrency: size }),
  work: size =>
    mergeOrdered(({ weight }) => of({ weight: weight + 1 } as Item).pipe(delay(weight % 3)), {
      concurrency: size,
    }),
  fail: size =>
    mergeOrdered(item => {
      if (item.weight % 7 === size % 7) throw new Error('broken');
      return [item];
    }),
  renumber: size => map(item => ({ ...item, weight: item.weight * 31 + size })),
};

/** Runs a chain of steps over a source, with a sink that releases items at its own pace. */
async function run(chain: readonly (readonly [string, number])[], seed: number) {
  const stdin = new PassThrough();
  stdin.end(Array.from({ length: records }, (_, id) => `{"id":${id},"text":"t"}\n`).join(''));
  const calls = { pulled: 0, released: 0, settled: 0, mostUnderWay: 0, twice: 0 };
  let end: Position | undefined;
  const random = new Random(seed);
  const source = documentSource({
    files: ['-'],
    stdin,
    codec: ndjsonCodec(),
    deadLetters: new DeadLetters({ policy: 'skip' }),
    budget,
    onAcknowledged: position => {
      end = position;
    },
  });
  const counted = source.pipe(
    map((document, weight): Item => {
      const inner = document.delivery!;
      calls.pulled += 1;
      calls.mostUnderWay = Math.max(calls.mostUnderWay, calls.pulled - calls.released);
      let released = false;
      let settled = false;
      const release = () => {
        if (released) calls.twice += 1;
        else calls.released += 1;
        released = true;
        inner.release();
      };
      const settle = (how: () => void) => {
        if (settled) calls.twice += 1;
        else calls.settled += 1;
        settled = true;
        how();
      };
      const delivery: Delivery = {
        position: inner.position,
        release,
        ack: () => settle(() => inner.ack()),
        reject: error =>
          settle(() => {
            // Rejecting releases as well; what was shared out may be released once more, without effect.
            if (!released) calls.released += 1;
            released = true;
            inner.reject(error);
          }),
      };
      return { weight, delivery };
    }),
  );
  const stream = chain.reduce((items, [name, size]) => items.pipe(steps[name]!(size)), counted);
  const held: Delivery[] = [];
  const letGo = () => {
    while (held.length > 0) {
      const [delivery] = held.splice(random.below(held.length), 1);
      delivery!.release();
      delivery!.ack();
    }
  };
  await new Promise<void>((resolve, reject) => {
    stream.pipe(concatMap(item => [item])).subscribe({
      next: ({ delivery }) => {
        held.push(delivery);
        setTimeout(letGo, random.below(3));
      },
      error: reject,
      complete: resolve,
    });
  });
  letGo();
  return { ...calls, end: end?.line };
}

describe('random chains of operators over the gate', () => {
  it('release and settle each delivery once, and never hold more than the budget', async () => {
    const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.integer({ min: 1, max: 6 }));
    const chain = fc.array(step, { maxLength: 5 }).filter(
      // Each collection multiplies what is held back; more than the budget is found by the watchdog.
      all =>
        all
          .filter(([name]) => name === 'collect')
          .reduce((product, [, size]) => product * size, 1) <= budget,
    );
    let chains = 0;
    const numRuns = process.env.TAGSTREAM_FAULTS === 'long' ? 3000 : 150;
    await fc.assert(
      fc.asyncProperty(chain, fc.nat(), async (all, seed) => {
        const result = await run(all, seed);
        chains += 1;
        expect(result.pulled).toBe(records);
        expect(result.released).toBe(records);
        expect(result.settled).toBe(records);
        expect(result.end).toBe(records);
        expect(result.mostUnderWay).toBeLessThanOrEqual(budget);
        if (!all.some(([name]) => name === 'fail')) expect(result.twice).toBe(0);
      }),
      { seed: 7 + faultsSeed, numRuns, endOnFailure: true },
    );
    console.log(`random graphs: ${chains} chains of ${records} records, each settled once`);
  }, 600_000);
});
