import { map, of, Subject, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Durations } from '../../../../src/engine/core/run-status.js';
import { timed } from '../../../../src/runtime/pipeline/setup/operators.js';

describe('timed', () => {
  it('counts each item once what comes after is done with it', () => {
    const durations = new Durations([]);
    const source = new Subject<number>();
    const counts: number[] = [];
    source.pipe(timed(durations)).subscribe(() => counts.push(durations.count));
    for (const item of [1, 2, 3]) source.next(item);
    expect(counts).toEqual([0, 1, 2]);
    expect(durations.count).toBe(3);
    expect(durations.sum).toBeGreaterThanOrEqual(0);
  });

  it('passes on items, the end, errors, and the end of the subscription', () => {
    const durations = new Durations([]);
    let all: number[] = [];
    of(1, 2)
      .pipe(timed(durations), toArray())
      .subscribe(found => {
        all = found;
      });
    expect(all).toEqual([1, 2]);
    const errors: unknown[] = [];
    const listen = { error: (error: unknown) => errors.push(error) };
    throwError(() => 'the source')
      .pipe(timed(durations))
      .subscribe(listen);
    of(1)
      .pipe(
        timed(durations),
        map(() => {
          throw 'a stage';
        }),
      )
      .subscribe(listen);
    expect(errors).toEqual(['the source', 'a stage']);
    const source = new Subject<number>();
    source.pipe(timed(durations)).subscribe().unsubscribe();
    expect(source.observed).toBe(false);
  });
});
