import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileMark } from '../../../src/io/files/file-mark.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();

it('is that of the content, wherever the file is', () => {
  const [a, b] = ['a', 'b'].map(name => join(folder, name));
  const content = 'word TAG\n'.repeat(20_000);
  writeFileSync(a!, content);
  writeFileSync(b!, content);
  expect(fileMark(a!)).toEqual(fileMark(b!));
  expect(fileMark(a!)!.bytes).toBe(180_000);
  appendFileSync(b!, 'x');
  expect(fileMark(b!)!.start).toBe(fileMark(a!)!.start);
  expect(fileMark(b!)).not.toEqual(fileMark(a!));
  writeFileSync(b!, content.replace('word', 'Word'));
  expect(fileMark(b!)!.start).not.toBe(fileMark(a!)!.start);
});

it('is missing of what is no plain file', () => {
  expect(['-', folder, join(folder, 'missing'), '/dev/null'].map(fileMark)).toEqual(
    Array(4).fill(undefined),
  );
});
