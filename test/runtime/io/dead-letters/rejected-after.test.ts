import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import {
  rejectedAfter,
  writeRejected,
} from '../../../../src/runtime/io/dead-letters/rejected-record.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const raw = new TextEncoder().encode('{');
const bad = (source: string, start: number) => ({
  position: { source, line: start + 1, start, end: start + 1 },
  raw,
  truncated: false,
  error: new TagstreamError('not-json', 'broken'),
});
const rejected = (source: string, start: number) => writeRejected(bad(source, start));

/** Keys without their digests. */
const placesOf = (keys: ReadonlySet<string>) => [...keys].map(key => key.replace(/^\w{32} /, ''));

describe('rejectedAfter', () => {
  const path = join(folder, 'bad');
  const inputs = ['a', 'b', 'c'];
  writeFileSync(`${path}.1`, rejected('a', 3) + rejected('b', 2));
  writeFileSync(
    path,
    `${rejected('b', 5)}${rejected('b', 7)}${rejected('c', 0)}${rejected('<stdin>', 9)}{"sour`,
  );

  it('finds those of records after a position, in rotated files too', async () => {
    const position = { source: 'b', line: 5, start: 4, end: 5 };
    expect(placesOf(await rejectedAfter(path, inputs, position))).toEqual(['5 b', '7 b', '0 c']);
  });

  it('finds all of files where nothing is done yet', async () => {
    const all = placesOf(await rejectedAfter(path, inputs, undefined));
    expect(all).toEqual(['3 a', '2 b', '5 b', '7 b', '0 c']);
  });

  it('finds none where there is no file', async () => {
    expect((await rejectedAfter(join(folder, 'none'), inputs, undefined)).size).toBe(0);
  });
});

describe('dead letters of a run that continues', () => {
  it('are counted again and not written again', async () => {
    const file = join(folder, 'again');
    const first = new DeadLetters({ policy: 'dead-letter', file });
    for (const start of [0, 4, 8]) first.add(bad('a', start));
    first.close();
    const second = new DeadLetters({ policy: 'dead-letter', file });
    await second.resumeAfter(['a'], { source: 'a', line: 3, start: 2, end: 3 });
    for (const start of [4, 8, 12]) second.add(bad('a', start));
    second.close();
    expect([second.total, second.kept]).toEqual([3, 3]);
    const found = await rejectedAfter(file, ['a'], undefined);
    expect(placesOf(found)).toEqual(['0 a', '4 a', '8 a', '12 a']);
  });

  it('are written if the file has other records at their places now', async () => {
    const file = join(folder, 'changed');
    const first = new DeadLetters({ policy: 'dead-letter', file });
    for (const start of [0, 4]) first.add(bad('a', start));
    first.close();
    const second = new DeadLetters({ policy: 'dead-letter', file });
    await second.resumeAfter(['a'], undefined);
    second.add(bad('a', 0));
    second.add({ ...bad('a', 4), raw: new TextEncoder().encode('[') });
    second.close();
    const raws = readFileSync(file, 'utf8').trim().split('\n');
    expect(raws.map(line => JSON.parse(line).raw)).toEqual(['{', '{', '[']);
  });
});
