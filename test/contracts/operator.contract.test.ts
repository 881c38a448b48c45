import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { concat, from, lastValueFrom, Subject, take, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CountingDelivery } from '../engine/operators/counting-delivery.js';
import { everyNth } from '../house/long-forms.js';
import { rows } from './operator-rows.js';

const numbers = ['0', '1', '2', '3', '4', '5', '6'];

/** Ids in the order in which they came, each but once where one input became several outputs. */
function inOrder(ids: readonly string[]): string[] {
  return ids.filter((id, i) => id !== ids[i - 1]);
}

/** What is plain data in a value, copied; functions and instances of classes are left out. */
function snapshot(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return (value as Float64Array).slice();
  if (Array.isArray(value)) return value.map(snapshot);
  if (!isPlain(value)) return typeof value === 'object' ? undefined : value;
  const entries = Object.entries(value).filter(([, item]) => typeof item !== 'function');
  return Object.fromEntries(entries.map(([key, item]) => [key, snapshot(item)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && value.constructor === Object;
}

/** Freezes what is plain data in a value; to write to it is then an error. */
function frozen<Value>(value: Value): Value {
  if (Array.isArray(value) || isPlain(value)) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}

it('there is a row for every operator that the library exports', () => {
  const entry = resolve(import.meta.dirname, '../../src/entries/operators.ts');
  const index = readFileSync(entry, 'utf8');
  const exported = [...index.matchAll(/^export \{ ([\w, ]+) \} from '\.\.\/engine\/operators\//gm)];
  const names = exported.flatMap(match => match[1]!.split(', '));
  expect(rows.map(({ name }) => name).sort()).toEqual(names.sort());
});

describe.each(rows)('$name', ({ start, settles, collects = false }) => {
  it('keeps the order, leaves nothing out, and ends with its source', async () => {
    const { operator, input, ids } = start();
    let completed = 0;
    const seen: string[] = [];
    const inputs = (function* () {
      for (const i of numbers.keys()) yield input(i);
    })();
    await new Promise<void>((done, fail) =>
      operator(from(inputs)).subscribe({
        next: output => seen.push(...ids(output)),
        error: fail,
        complete: () => {
          completed += 1;
          done();
        },
      }),
    );
    expect(inOrder(seen)).toEqual(numbers);
    expect(completed).toBe(1);
  });

  it('is done at once with a source that is empty', () => {
    const { operator } = start();
    const outcome: string[] = [];
    operator(from([])).subscribe({
      next: () => outcome.push('next'),
      error: (error: Error) => outcome.push(error.message),
      complete: () => outcome.push('complete'),
    });
    expect(outcome).toEqual(
      collects
        ? ['the corpus has no labelled sentence (check the tag column of the source)']
        : ['complete'],
    );
  });

  it('passes the error of its source on, as it is, after what came before', () => {
    const { operator, input, ids } = start();
    const failure = new Error('the source broke');
    const seen: string[] = [];
    const errors: unknown[] = [];
    const inputs = (function* () {
      for (let i = 0; i < 4; i += 1) yield input(i);
    })();
    let completed = 0;
    operator(
      concat(
        from(inputs),
        throwError(() => failure),
      ),
    ).subscribe({
      next: output => seen.push(...ids(output)),
      error: error => errors.push(error),
      complete: () => {
        completed += 1;
      },
    });
    expect(errors).toEqual([failure]);
    expect(errors[0]).toBe(failure);
    expect(completed).toBe(0);
    const known = inOrder(seen);
    expect(known).toEqual(numbers.slice(0, known.length));
    expect(known.length >= 3).toBe(!collects);
  });

  it('releases its source when nobody listens any more', () => {
    const { operator, input } = start();
    const source = new Subject<unknown>();
    const subscription = operator(source).subscribe();
    source.next(input(0));
    expect(source.observed).toBe(true);
    subscription.unsubscribe();
    expect(source.observed).toBe(false);
  });

  it('changes nothing that it was given', async () => {
    const { operator, input } = start();
    let compared = 0;
    const inputs = (function* () {
      for (const i of numbers.keys()) {
        const item = frozen(input(i));
        const before = snapshot(item);
        yield item;
        expect(snapshot(item)).toEqual(before);
        compared += 1;
      }
    })();
    await lastValueFrom(operator(from(inputs)).pipe(toArray()));
    expect(compared).toBe(numbers.length);
  });

  it('stays in order when its outputs bring on further inputs', async () => {
    const { operator, input, ids } = start();
    const source = new Subject<unknown>();
    const seen: string[] = [];
    let pushed = 0;
    const push = () => {
      if (pushed === numbers.length) return;
      pushed += 1;
      source.next(input(pushed - 1));
    };
    const done = new Promise<void>((complete, error) =>
      operator(source).subscribe({
        next(output) {
          seen.push(...ids(output));
          push();
        },
        error,
        complete,
      }),
    );
    while (pushed < numbers.length) push();
    source.complete();
    await done;
    expect(inOrder(seen)).toEqual(numbers);
  });

  it('starts anew for each subscriber', async () => {
    const { operator, input, ids } = start();
    const source = new Subject<unknown>();
    const output = operator(source);
    const all = [output, output].map(each => lastValueFrom(each.pipe(toArray())));
    const [first, second] = all as [Promise<unknown[]>, Promise<unknown[]>];
    for (const i of [0, 1, 2]) source.next(input(i));
    source.complete();
    expect(inOrder((await first).flatMap(ids))).toEqual(['0', '1', '2']);
    expect(inOrder((await second).flatMap(ids))).toEqual(['0', '1', '2']);
  });

  it(`settles deliveries as it should: ${settles.join(' release, ')} ack`, async () => {
    const { operator, input } = start();
    const deliveries = numbers.map((_, i) => new CountingDelivery(i + 1));
    const inputs = (function* () {
      for (const [i, delivery] of deliveries.entries()) yield input(i, delivery);
    })();
    await lastValueFrom(operator(from(inputs)).pipe(toArray()));
    for (const { calls } of deliveries) expect(calls).toEqual([...settles, 0]);
  });

  it('acknowledges nothing once its source has failed', () => {
    const { operator, input } = start();
    const deliveries = [new CountingDelivery(1), new CountingDelivery(2)];
    const source = new Subject<unknown>();
    operator(source).subscribe({ error: () => {} });
    for (const [i, delivery] of deliveries.entries()) source.next(input(i, delivery));
    const before = deliveries.map(({ calls }) => calls);
    source.error(new Error('broken'));
    expect(deliveries.map(({ calls }) => calls)).toEqual(before);
  });
});

// What emits only after its source has ended cannot be asked to stop it.
for (const part of everyNth(
  2,
  rows.filter(({ collects }) => collects !== true),
)) {
  describe.each(part.rows)('$name', { tags: part.tags }, ({ start }) => {
    it('stops a source that never ends, and emits in one go', async () => {
      const { operator, input, ids } = start();
      let pulled = 0;
      const endless = (function* () {
        for (;;) {
          yield input(pulled);
          pulled += 1;
        }
      })();
      const first = await lastValueFrom(operator(from(endless)).pipe(take(1)));
      expect(ids(first)[0]).toBe('0');
      expect(pulled).toBeLessThan(5);
    });
  });
}

const picky = rows.flatMap(row => (row.bad === undefined ? [] : [{ ...row, bad: row.bad }]));

for (const { rows, tags } of everyNth(2, picky)) {
  describe.each(rows)('$name', { tags }, ({ start, bad }) => {
    it('rejects a bad item that has a delivery, and continues', async () => {
      const { operator, input, ids } = start();
      const delivery = new CountingDelivery();
      const inputs = (function* () {
        yield input(0);
        yield bad(delivery);
        yield input(1);
      })();
      const outputs = await lastValueFrom(operator(from(inputs)).pipe(toArray()));
      expect(inOrder(outputs.flatMap(ids))).toEqual(['0', '1']);
      expect(delivery.calls).toEqual([0, 0, 1]);
      expect(delivery.rejections[0]!.name).toBe('TagstreamError');
    });

    it('ends with the error of a bad item that has none', () => {
      const { operator, input, ids } = start();
      const seen: string[] = [];
      const errors: unknown[] = [];
      let pulled = 0;
      const inputs = (function* () {
        for (const item of [input(0), bad(), input(1)]) {
          pulled += 1;
          yield item;
        }
      })();
      operator(from(inputs)).subscribe({
        next: output => seen.push(...ids(output)),
        error: error => errors.push(error),
        complete: () => errors.push('completed'),
      });
      expect(inOrder(seen)).toEqual(['0']);
      expect(errors).toEqual([expect.objectContaining({ name: 'TagstreamError' })]);
      expect(pulled).toBe(2);
    });
  });
}
