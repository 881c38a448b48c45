import { bufferCount, concatMap, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { finishBeforeError } from '../../../../src/runtime/pipeline/tagging/tag-records.js';

it('lets out what the stages hold, then the error', () => {
  const source = new Subject<number>();
  const seen: unknown[] = [];
  source.pipe(finishBeforeError(bufferCount(2))).subscribe({
    next: pair => seen.push(pair),
    error: error => seen.push((error as Error).message),
  });
  for (const item of [1, 2, 3]) source.next(item);
  expect(seen).toEqual([[1, 2]]);
  source.error(new Error('broken'));
  expect(seen).toEqual([[1, 2], [3], 'broken']);
});

it('lets out nothing after the item that the error comes of', () => {
  const source = new Subject<number>();
  const stages = finishBeforeError<number, number>(items =>
    items.pipe(
      bufferCount(4),
      concatMap(list => list),
    ),
  );
  const seen: unknown[] = [];
  source.pipe(stages).subscribe({
    next: item => {
      seen.push(item);
      if (item === 2) source.error(new Error('cannot be written'));
    },
    error: error => seen.push((error as Error).message),
  });
  for (const item of [1, 2, 3, 4]) source.next(item);
  expect(seen).toEqual([1, 2, 'cannot be written']);
});

it('completes as its source does, and stops its source when it is left', () => {
  const source = new Subject<number>();
  const seen: unknown[] = [];
  const stages = finishBeforeError<number, number[]>(bufferCount(2));
  const subscription = source.pipe(stages).subscribe(pair => seen.push(pair));
  source.next(1);
  subscription.unsubscribe();
  expect(source.observed).toBe(false);
  let completed = false;
  const other = new Subject<number>();
  other.pipe(stages).subscribe({
    complete: () => {
      completed = true;
    },
  });
  other.complete();
  expect([completed, seen]).toEqual([true, []]);
});
