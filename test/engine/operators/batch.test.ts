import {
  concat,
  from,
  lastValueFrom,
  map,
  type Observable,
  Subject,
  throwError,
  toArray,
} from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../src/engine/core/minibatch/minibatch.js';
import { type BatchOptions, batch } from '../../../src/engine/operators/batch.js';
import { sentenceOf } from '../features/sentence-of.js';
import { idsOf, Training } from './training.js';

/** That of the process, also while tests have fake timers. */
const realImmediate = setImmediate;

/** A sentence of `length` tokens. */
function encoded(id: string, length: number, passEnd?: number): EncodedSentence {
  const { model } = new Training();
  const tokens = Array.from({ length }, (_, t) => `w${t}`);
  const sentence = model.encode(sentenceOf(tokens, { id }));
  return passEnd === undefined ? sentence : { ...sentence, passEnd };
}

function idsIn(source: Observable<Minibatch>): Promise<string[]> {
  return lastValueFrom(source.pipe(toArray())).then(all => all.map(each => idsOf(each).join('')));
}

/** Ids of the minibatches of sentences of the given lengths, named a, b, c, ... */
function batchesOf(lengths: readonly number[], options?: BatchOptions): Promise<string[]> {
  const sentences = lengths.map((length, i) => encoded('abcdefghij'[i]!, length));
  return idsIn(from(sentences).pipe(batch(options)));
}

describe('batch', () => {
  it.each([
    [{ sentences: -1 }, 'batch.sentences: -1 is not allowed (give a whole number of at least 1)'],
    [{ tokens: 0.5 }, 'batch.tokens: 0.5 is not allowed'],
    [{ tokens: '8' }, 'batch.tokens: "8" is not allowed'],
    [{ milliseconds: Number.NaN }, 'batch.milliseconds: NaN is not allowed'],
    [{ sentence: 8 }, 'batch.sentence: unknown key "sentence" (did you mean sentences? known:'],
    [8, 'batch: the options are 8 (give an object with sentences, tokens'],
    [null, 'batch: the options are null'],
  ])('refuses %j', (options, message) => {
    const make = () => batch(options as BatchOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'config' }));
    expect(make).toThrow(message);
  });

  it('makes a minibatch of each sentence by default', async () => {
    expect(await batchesOf([1, 5, 2])).toEqual(['a', 'b', 'c']);
    expect(await batchesOf([1, 5, 2], {})).toEqual(['a', 'b', 'c']);
  });

  it.each([{ sentences: 2 }, { tokens: 5 }])(
    'gives a minibatch out as soon as it is full: %j',
    options => {
      const sentences = new Subject<EncodedSentence>();
      const seen: string[] = [];
      sentences.pipe(batch(options)).subscribe(each => seen.push(idsOf(each).join('')));
      sentences.next(encoded('a', 3));
      expect(seen).toEqual([]);
      sentences.next(encoded('b', 2));
      expect(seen).toEqual(['ab']);
    },
  );

  it('packs so many sentences at most, and what is left at the end', async () => {
    expect(await batchesOf([1, 1, 1, 1, 1, 1, 1], { sentences: 3 })).toEqual(['abc', 'def', 'g']);
    expect(await batchesOf([1, 1, 1, 1], { sentences: 2 })).toEqual(['ab', 'cd']);
    expect(await batchesOf([], { sentences: 2 })).toEqual([]);
  });

  it('packs so many tokens at most; a longer sentence is a minibatch of its own', async () => {
    expect(await batchesOf([2, 3, 1, 4, 1], { tokens: 5 })).toEqual(['ab', 'cd', 'e']);
    expect(await batchesOf([2, 2, 2, 2], { tokens: 5 })).toEqual(['ab', 'cd']);
    expect(await batchesOf([1, 9, 1, 1], { tokens: 5 })).toEqual(['a', 'b', 'cd']);
    expect(await batchesOf([9, 9], { tokens: 5 })).toEqual(['a', 'b']);
    expect(await batchesOf([1, 1, 1], { tokens: 1 })).toEqual(['a', 'b', 'c']);
  });

  it('heeds whichever of the two is reached first', async () => {
    const options = { sentences: 3, tokens: 6 };
    expect(await batchesOf([1, 1, 1, 4, 1, 2, 5], options)).toEqual(['abc', 'de', 'f', 'g']);
  });

  it('flushes at the end of a pass, and notes it', async () => {
    const sentences = [encoded('a', 1), encoded('b', 1, 1), encoded('c', 1), encoded('d', 1, 2)];
    const batches = await lastValueFrom(
      from([...sentences, encoded('e', 1)]).pipe(batch({ sentences: 3 }), toArray()),
    );
    expect(batches.map(each => idsOf(each).join(''))).toEqual(['ab', 'cd', 'e']);
    expect(batches.map(each => each.passEnd)).toEqual([1, 2, undefined]);
  });

  it('flushes twice where a sentence is too long for what waits, and ends a pass', async () => {
    const sentences = [encoded('a', 2), encoded('b', 4, 1), encoded('c', 1)];
    const batches = await lastValueFrom(from(sentences).pipe(batch({ tokens: 5 }), toArray()));
    expect(batches.map(each => [idsOf(each).join(''), each.passEnd])).toEqual([
      ['a', undefined],
      ['b', 1],
      ['c', undefined],
    ]);
  });

  it('packs tokens, features and labels one after the other', async () => {
    const { model } = new Training();
    const sentences = [
      model.encode(sentenceOf(['x', 'y'], { tags: ['A', 'B'] })),
      model.encode(sentenceOf(['y'])),
      model.encode(sentenceOf(['z', 'x', 'y'], { tags: ['B', 'A', 'A'] })),
    ];
    const [packed] = await lastValueFrom(from(sentences).pipe(batch({ sentences: 9 }), toArray()));
    expect(Array.from(packed!.sentenceStarts)).toEqual([0, 2, 3, 6]);
    expect(Array.from(packed!.stateRows)).toEqual([0, 1, 1, 2, 0, 1]);
    expect(Array.from(packed!.gold)).toEqual([0, 1, -1, 1, 0, 0]);
    expect(Array.from(packed!.labelled)).toEqual([1, 0, 1]);
    expect(packed!.tokens).toBe(6);
  });

  it('drops what waits when the source fails', async () => {
    const source = concat(
      from([encoded('a', 1), encoded('b', 1), encoded('c', 1)]),
      throwError(() => new Error('broken')),
    );
    const seen: string[] = [];
    await expect(
      new Promise<void>((complete, error) => {
        const next = (each: Minibatch) => void seen.push(idsOf(each).join(''));
        source.pipe(batch({ sentences: 2 })).subscribe({ next, error, complete });
      }),
    ).rejects.toThrow('broken');
    expect(seen).toEqual(['ab']);
  });

  it('keeps the order when a minibatch brings on further sentences', () => {
    const source = new Subject<EncodedSentence>();
    const seen: string[] = [];
    const late = ['c', 'd', 'e'].map(id => encoded(id, 2));
    source.pipe(batch({ tokens: 3 })).subscribe(each => {
      seen.push(idsOf(each).join(''));
      const next = late.shift();
      if (next !== undefined) source.next(next);
    });
    source.next(encoded('a', 2));
    source.next(encoded('b', 2));
    source.next(encoded('f', 3));
    source.complete();
    expect(seen.join('')).toBe('abcdef');
  });

  it('emits with the sentence that fills it, in marbles', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ cold, expectObservable, expectSubscriptions }) => {
        const source = cold('-a-b--c--d-e|', {
          a: encoded('a', 1),
          b: encoded('b', 1),
          c: encoded('c', 1),
          d: encoded('d', 1),
          e: encoded('e', 1),
        });
        const ids = source.pipe(
          batch({ sentences: 2 }),
          map(each => idsOf(each).join('')),
        );
        expectObservable(ids).toBe('---x-----y--(z|)', { x: 'ab', y: 'cd', z: 'e' });
        expectSubscriptions(source.subscriptions).toBe('^-----------!');
      },
    );
  });

  describe('by time', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    function started(options: BatchOptions) {
      const source = new Subject<EncodedSentence>();
      const seen: string[] = [];
      const subscription = source.pipe(batch(options)).subscribe({
        next: each => seen.push(idsOf(each).join('')),
        error: (error: Error) => seen.push(error.message),
        complete: () => seen.push('|'),
      });
      return { source, seen, subscription };
    }

    it('flushes so long after the first sentence that waits', () => {
      const { source, seen } = started({ sentences: 3, milliseconds: 50 });
      source.next(encoded('a', 1));
      vi.advanceTimersByTime(30);
      source.next(encoded('b', 1));
      vi.advanceTimersByTime(19);
      expect(seen).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(seen).toEqual(['ab']);
      vi.advanceTimersByTime(500);
      expect(seen).toEqual(['ab']);
    });

    it('starts to count anew after a minibatch that was full', () => {
      const { source, seen } = started({ sentences: 2, milliseconds: 50 });
      source.next(encoded('a', 1));
      vi.advanceTimersByTime(40);
      source.next(encoded('b', 1));
      source.next(encoded('c', 1));
      expect(seen).toEqual(['ab']);
      vi.advanceTimersByTime(49);
      expect(seen).toEqual(['ab']);
      vi.advanceTimersByTime(1);
      expect(seen).toEqual(['ab', 'c']);
    });

    it('leaves no timer behind when the source completes, fails or is left', () => {
      const completed = started({ sentences: 5, milliseconds: 50 });
      completed.source.next(encoded('a', 1));
      completed.source.complete();
      expect(completed.seen).toEqual(['a', '|']);
      const failed = started({ sentences: 5, milliseconds: 50 });
      failed.source.next(encoded('a', 1));
      failed.source.error(new Error('broken'));
      expect(failed.seen).toEqual(['broken']);
      const left = started({ sentences: 5, milliseconds: 50 });
      left.source.next(encoded('a', 1));
      left.subscription.unsubscribe();
      expect(left.source.observed).toBe(false);
      expect(vi.getTimerCount()).toBe(0);
      vi.advanceTimersByTime(500);
      expect(left.seen).toEqual([]);
      expect(failed.seen).toEqual(['broken']);
    });

    it('flushes with the turn of the event loop at 0 milliseconds, what is at hand together', async () => {
      const { source, seen } = started({ sentences: 3, milliseconds: 0 });
      const turn = () => new Promise<void>(resolve => realImmediate(resolve));
      for (const id of 'abcde') source.next(encoded(id, 1));
      expect(seen).toEqual(['abc']);
      await turn();
      expect(seen).toEqual(['abc', 'de']);
      source.next(encoded('f', 1));
      await turn();
      expect(seen).toEqual(['abc', 'de', 'f']);
      expect(vi.getTimerCount()).toBe(0);
      source.next(encoded('g', 1));
      source.complete();
      await turn();
      expect(seen).toEqual(['abc', 'de', 'f', 'g', '|']);
    });

    it('needs no timer where no sentence waits', () => {
      const { source } = started({ sentences: 1, milliseconds: 50 });
      source.next(encoded('a', 1));
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
