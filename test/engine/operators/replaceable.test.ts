import {
  BehaviorSubject,
  bufferCount,
  concatMap,
  delay,
  from,
  map,
  type OperatorFunction,
  pipe,
  Subject,
  take,
} from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { replaceable } from '../../../src/engine/operators/replaceable.js';

type Stages = OperatorFunction<string, string>;

const withName = (name: string): Stages => map(item => name + item);

/** Holds items until there are three, or the end, as `batch` does. */
const inThrees = (name: string): Stages =>
  pipe(
    bufferCount(3),
    concatMap(items => items),
    withName(name),
  );

/** Items come out later, also after the end of the source. */
const slow = (name: string, milliseconds: number): Stages =>
  pipe(delay(milliseconds), withName(name));

/** The marble of what a version makes of an item: `1` by `b` is `K`. */
const marbleOf = (name: string, item: string) =>
  String.fromCharCode('A'.charCodeAt(0) + 9 * 'abc'.indexOf(name) + Number(item));
const values = Object.fromEntries(
  ['a', 'b', 'c'].flatMap(name =>
    ['1', '2', '3', '4', '5', '6'].map(item => [marbleOf(name, item), name + item]),
  ),
);
/** Marbles of items, as a version makes them. */
const by = (name: string, marbles: string) => marbles.replace(/\d/g, item => marbleOf(name, item));

function run(test: Parameters<TestScheduler['run']>[0]): void {
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);
}

describe('replaceable', () => {
  it('sends each item through the version that is there when it comes', () =>
    run(({ hot, expectObservable, expectSubscriptions }) => {
      const items = hot('         -1-2-3-4-5-|');
      const versions = hot('      a---b---c---', {
        a: withName('a'),
        b: withName('b'),
        c: withName('c'),
      });
      const expected = `${by('a', '-1-2')}${by('b', '-3-4')}${by('c', '-5-|')}`;
      expectObservable(items.pipe(replaceable(versions))).toBe(expected, values);
      expectSubscriptions(items.subscriptions).toBe('^----------!');
      expectSubscriptions(versions.subscriptions).toBe('^----------!');
    }));

  it('has the old version let out what it holds, before the new one begins', () =>
    run(({ hot, expectObservable }) => {
      const items = hot('   -1-2----3-4-5-6----|');
      const versions = hot('a----b--------------', { a: inThrees('a'), b: inThrees('b') });
      const expected = `${by('a', '-----(12)')}${by('b', '---(345)--(6|)')}`;
      expectObservable(items.pipe(replaceable(versions))).toBe(expected, values);
    }));

  it('keeps items that come before the first version, or while the old one takes its time', () =>
    run(({ hot, expectObservable }) => {
      const items = hot('   --1--34-5--------|');
      const versions = hot('---a---b----------', { a: slow('a', 5), b: withName('b') });
      const expected = `${by('a', '--------1-3(4')}${by('b', '5)--|')}`;
      expectObservable(items.pipe(replaceable(versions))).toBe(expected, values);
    }));

  it('goes over to the newest of those that came meanwhile', () =>
    run(({ hot, expectObservable }) => {
      const items = hot('   -1--2---------3-|');
      const versions = hot('a-b--c-----------', {
        a: slow('a', 8),
        b: withName('b'),
        c: withName('c'),
      });
      const expected = `${by('a', '---------(1')}${by('c', '2)-3-|')}`;
      expectObservable(items.pipe(replaceable(versions))).toBe(expected, values);
    }));

  it('passes on the error of its source through the version at work', () =>
    run(({ hot, expectObservable }) => {
      const items = hot('   -1-2#');
      const versions = hot('a-b--', { a: withName('a'), b: withName('b') });
      const expected = `${by('a', '-1-')}${by('b', '2#')}`;
      expectObservable(items.pipe(replaceable(versions))).toBe(expected, values);
    }));

  it('ends with the error of a version, and with that of the versions', () =>
    run(({ hot, expectObservable }) => {
      const broken: Stages = map(() => {
        throw new Error('broken');
      });
      const versions = hot('a-b', { a: withName('a'), b: broken });
      const output = hot('-1-2-3-|').pipe(replaceable(versions));
      expectObservable(output).toBe(`${by('a', '-1')}-#`, values, new Error('broken'));
      const failing = hot('a-#', { a: withName('a') });
      expectObservable(hot('-1-2|').pipe(replaceable<string, string>(failing))).toBe(
        by('a', '-1#'),
        values,
      );
    }));

  it('stops its source, and the versions, when it is left', () =>
    run(({ hot, expectObservable, expectSubscriptions }) => {
      const items = hot('   -1-2-3-|');
      const versions = hot('a-------', { a: withName('a') });
      const output = items.pipe(replaceable(versions), take(2));
      expectObservable(output).toBe(by('a', '-1-(2|)'), values);
      expectSubscriptions(items.subscriptions).toBe('^--!');
      expectSubscriptions(versions.subscriptions).toBe('^--!');
    }));

  it('ends a source that would grow for ever while it is subscribed to', () => {
    const endless = (function* () {
      for (let i = 0; ; i += 1) yield String(i);
    })();
    const seen: string[] = [];
    const versions = new BehaviorSubject(withName('a'));
    from(endless)
      .pipe(replaceable(versions), take(3))
      .subscribe(item => seen.push(item));
    expect(seen).toEqual(['a0', 'a1', 'a2']);
    expect(versions.observed).toBe(false);
  });

  it('can be replaced by what comes out of it', () => {
    const versions = new BehaviorSubject(inThrees('a'));
    const items = new Subject<string>();
    const seen: string[] = [];
    items.pipe(replaceable(versions)).subscribe(item => {
      seen.push(item);
      if (item === 'a2') versions.next(withName('b'));
    });
    for (const item of ['1', '2', '3', '4']) items.next(item);
    expect(seen).toEqual(['a1', 'a2', 'a3', 'b4']);
  });

  it('loses and doubles nothing over a thousand versions', () => {
    const versions = new BehaviorSubject(inThrees(''));
    const items = new Subject<string>();
    const seen: string[] = [];
    let completed = 0;
    items.pipe(replaceable(versions)).subscribe({
      next: item => seen.push(item),
      complete: () => {
        completed += 1;
      },
    });
    const given = Array.from({ length: 5000 }, (_, i) => String(i));
    for (const [i, item] of given.entries()) {
      items.next(item);
      if (i % 5 === i % 7) versions.next(inThrees(''));
    }
    items.complete();
    expect(seen).toEqual(given);
    expect(completed).toBe(1);
    expect(versions.observed).toBe(false);
  });
});
