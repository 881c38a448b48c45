import { expect, it } from 'vitest';
import { Reloadable } from '../../../../../src/runtime/pipeline/tagging/reload/open-model.js';
import { versionsOf } from '../../../../../src/runtime/pipeline/tagging/tag-records.js';

it('keeps what it has where there is nothing better, and reports each outcome', () => {
  const reported: unknown[] = [];
  const next: (string | Error)[] = ['b', new Error('bad'), 'c'];
  const make = () => {
    const value = next.shift()!;
    if (value instanceof Error) throw value;
    return value;
  };
  const models = new Reloadable('a', make, {
    onReloaded: value => reported.push(['new', value]),
    onKept: error => reported.push(['kept', (error as Error).message]),
  });
  const seen: string[] = [];
  const watching = versionsOf(models).subscribe(value => seen.push(value));
  models.reload();
  models.reload();
  expect(models.current).toBe('b');
  models.reload();
  watching.unsubscribe();
  next.push('d');
  models.reload();
  expect(models.current).toBe('d');
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(reported).toEqual([
    ['new', 'b'],
    ['kept', 'bad'],
    ['new', 'c'],
    ['new', 'd'],
  ]);
});
