import { concat, from, lastValueFrom, map, NEVER, take, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import type { Model } from '../../../src/engine/models/model.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { type PassesOptions, passes } from '../../../src/engine/operators/passes.js';
import { sentenceOf } from '../features/sentence-of.js';
import { CountingDelivery } from './counting-delivery.js';
import { idsOf, numbered, Training } from './training.js';

function idOf({ sentence }: EncodedSentence): number {
  return Number(sentence.document.id);
}

/** Visits to a corpus of `count` sentences, by id. */
async function visits(
  count: number,
  options: PassesOptions,
  training = new Training(),
): Promise<EncodedSentence[]> {
  const corpus = Array.from({ length: count }, (_, i) => training.encoded(i));
  return lastValueFrom(from(corpus).pipe(passes(training.model, options), toArray()));
}

async function order(count: number, options: PassesOptions): Promise<number[][]> {
  const ids = (await visits(count, options)).map(idOf);
  return Array.from({ length: ids.length / count }, (_, pass) =>
    ids.slice(pass * count, (pass + 1) * count),
  );
}

const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

describe('passes', () => {
  it('visits each sentence once a pass, in another order each time', async () => {
    const all = await order(20, { epochs: 5 });
    expect(all).toHaveLength(5);
    const once = Array.from({ length: 20 }, (_, i) => i);
    for (const pass of all) expect(sorted(pass)).toEqual(once);
    expect(new Set([once, ...all].map(String)).size).toBe(6);
  });

  it('has an order that depends on the seed and the number of the pass alone', async () => {
    const first = await order(20, { epochs: 3, seed: 1 });
    expect(await order(20, { epochs: 3 })).toEqual(first);
    expect(await order(20, { epochs: 5, seed: 1 }).then(all => all.slice(0, 3))).toEqual(first);
    const other = await order(20, { epochs: 3, seed: 2 });
    for (const pass of other) expect(first).not.toContainEqual(pass);
  });

  it('keeps the order of the source where it is not to be shuffled', async () => {
    const once = [0, 1, 2, 3, 4];
    expect(await order(5, { epochs: 2, shuffle: false })).toEqual([once, once]);
  });

  it('keeps the memory of its own sentences, not that of many without labels', async () => {
    const model = createModel({ templates: 'U:%x[0,0]\nB:%x[0,0]' });
    const tokens = Array.from({ length: 100 }, (_, t) => `w${t}`);
    const one = (i: number) =>
      model.encode(sentenceOf(tokens, i % 20 === 0 ? { tags: tokens.map(() => 'X') } : {}));
    const source = from(Array.from({ length: 4000 }, (_, i) => i)).pipe(map(one));
    const seen = await lastValueFrom(source.pipe(passes(model, { epochs: 1 }), toArray()));
    const arrays = seen.flatMap(({ stateStarts, stateRows, edgeStarts, edgeRows }) => [
      ...[stateStarts, stateRows, edgeStarts!, edgeRows!],
    ]);
    const own = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const kept = new Set(arrays.map(({ buffer }) => buffer));
    const held = [...kept].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(seen.length).toBe(200);
    expect(held).toBeLessThan(2 * own);
  });

  it('marks the last sentence of each pass, and changes no sentence for it', async () => {
    const training = new Training();
    const corpus = [0, 1, 2].map(i => training.encoded(i));
    const seen = await lastValueFrom(
      from(corpus).pipe(passes(training.model, { epochs: 2 }), toArray()),
    );
    const none = undefined;
    expect(seen.map(({ passEnd }) => passEnd)).toEqual([none, none, 1, none, none, 2]);
    for (const each of corpus) expect(each).not.toHaveProperty('passEnd');
  });

  it.each([0, 1, 6, 7, 8, 13, 14, 20, 21, 30])(
    'continues after %i visits as if it had made them',
    async skip => {
      const whole = await visits(7, { epochs: 3, seed: 5 });
      const rest = await visits(7, { epochs: 3, seed: 5, skip });
      expect(rest.map(idOf)).toEqual(whole.slice(skip).map(idOf));
      expect(rest.map(each => each.passEnd)).toEqual(whole.slice(skip).map(each => each.passEnd));
    },
  );

  it('makes the same minibatches when it resumes from the end of one of them', async () => {
    const batches = async (skip: number) => {
      const training = new Training();
      const corpus = Array.from({ length: 10 }, (_, i) => training.encoded(i));
      const stream = from(corpus).pipe(
        passes(training.model, { epochs: 3, skip }),
        batch({ sentences: 4 }),
        toArray(),
      );
      return (await lastValueFrom(stream)).map(each => [idsOf(each).join(' '), each.passEnd]);
    };
    const whole = await batches(0);
    expect(whole).toHaveLength(9);
    for (const [i, skip] of [0, 4, 8, 10, 14, 18, 20, 24, 28].entries()) {
      expect(await batches(skip)).toEqual(whole.slice(i));
    }
  });

  it('leaves other features out in each visit, the same ones for the same seed', async () => {
    const rows = async (options: Partial<PassesOptions>) =>
      (await visits(7, { epochs: 3, seed: 5, dropout: 0.5, ...options })).map(
        ({ sentence, stateRows }) => `${sentence.document.id}: ${stateRows.join(' ')}`,
      );
    const whole = await rows({});
    expect(await rows({})).toEqual(whole);
    expect(await rows({ seed: 6 })).not.toEqual(whole);
    expect(await rows({ dropout: 0.25 })).not.toEqual(whole);
    const inOrder = await rows({ shuffle: false });
    expect(inOrder.slice(0, 7)).not.toEqual(inOrder.slice(7, 14));
    for (const skip of [1, 6, 7, 8, 20]) expect(await rows({ skip })).toEqual(whole.slice(skip));
    expect(await rows({ dropout: 0 })).toEqual(
      (await visits(7, { epochs: 3, seed: 5 })).map(
        ({ sentence, stateRows }) => `${sentence.document.id}: ${stateRows.join(' ')}`,
      ),
    );
  });

  it('freezes the model and gives it and the caller the size of the corpus', async () => {
    const training = new Training();
    const sizes: number[] = [];
    await visits(6, { epochs: 1, onCorpus: size => sizes.push(size) }, training);
    expect(sizes).toEqual([6]);
    expect(training.model.corpusSize).toBe(6);
    expect(training.model.frozen).toBe(true);
  });

  it('leaves sentences without labels out', async () => {
    const training = new Training();
    const { tags, ...unlabelled } = numbered(1);
    const corpus = [training.encoded(0), training.model.encode(unlabelled), training.encoded(2)];
    const options = { epochs: 1, shuffle: false };
    const seen = await lastValueFrom(from(corpus).pipe(passes(training.model, options), toArray()));
    expect(tags).toBeDefined();
    expect(seen.map(idOf)).toEqual([0, 2]);
    expect(seen.at(-1)!.passEnd).toBe(1);
    expect(training.model.corpusSize).toBe(2);
  });

  it('fails where there is no labelled sentence, after it has settled all deliveries', async () => {
    const { model } = new Training();
    const delivery = new CountingDelivery();
    const unlabelled = model.encode(sentenceOf(['a'], { delivery }));
    const seen = lastValueFrom(from([unlabelled]).pipe(passes(model, { epochs: 1 }), toArray()));
    await expect(seen).rejects.toMatchObject({
      code: 'empty-sentence',
      problem: 'the corpus has no labelled sentence',
    });
    expect(delivery.calls).toEqual([1, 1, 0]);
  });

  it('settles a delivery as soon as the sentence is collected', () => {
    const training = new Training();
    const delivery = new CountingDelivery();
    const subscription = concat([training.encoded(0, delivery)], NEVER)
      .pipe(passes(training.model, { epochs: 1 }))
      .subscribe();
    expect(delivery.calls).toEqual([1, 1, 0]);
    subscription.unsubscribe();
  });

  it('encodes once more where a cutoff drops features', async () => {
    const model = createModel({ templates: 'U:%x[0,0]', index: { mode: 'exact', cutoff: 2 } });
    const corpus = [
      ['a', 'b'],
      ['c', 'a'],
      ['b', 'b', 'd'],
    ].map((tokens, i) =>
      model.encode(sentenceOf(tokens, { tags: tokens.map(() => 'X'), id: String(i) })),
    );
    // When the first sentence came, none of its features had been seen twice.
    expect(corpus.map(({ stateRows }) => Array.from(stateRows))).toEqual([[], [0], [1, 1]]);
    const options = { epochs: 1, shuffle: false };
    const seen = await lastValueFrom(from(corpus).pipe(passes(model, options), toArray()));
    expect(seen.map(({ stateRows }) => Array.from(stateRows))).toEqual([[0, 1], [0], [1, 1]]);
    expect(model.stateIndex.size).toBe(2);
  });

  it('gives the event loop a turn in a long run, and stops when left between two of them', async () => {
    const training = new Training();
    const corpus = Array.from({ length: 10 }, (_, i) => training.encoded(i));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    let seen = 0;
    await lastValueFrom(
      from(corpus).pipe(
        passes(training.model, { epochs: 1_000_000 }),
        tap(() => {
          seen += 1;
          // Work that takes its time: others get their turn by the clock.
          for (const end = performance.now() + 0.05; performance.now() < end; );
        }),
        take(2000),
      ),
    );
    clearInterval(timer);
    expect(seen).toBe(2000);
    expect(turns).toBeGreaterThan(2);
    await new Promise(resolve => setTimeout(resolve, 5));
    expect(seen).toBe(2000);
  });

  it('passes on what goes wrong when the corpus is complete', async () => {
    const model = createModel({ templates: 'U:%x[0,0]', index: { mode: 'exact', cutoff: 2 } });
    const encoded = model.encode(sentenceOf(['a'], { tags: ['X'] }));
    const broken = {
      encode: () => {
        throw new Error('cannot encode');
      },
      labels: model.labels,
      spec: model.spec,
      extractor: model.extractor,
    };
    const source = from([encoded]).pipe(passes(broken as unknown as Model, { epochs: 1 }));
    await expect(lastValueFrom(source)).rejects.toThrow('cannot encode');
  });
});
