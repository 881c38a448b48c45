import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  inputFingerprint,
  requireSameInput,
} from '../../../src/formats/reading/input-fingerprint.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const source = join(folder, 'a');
const at = (end: number) => ({ source, line: 3, start: 0, end });
const sha = (text: string) => createHash('sha256').update(text).digest('hex');

it('is that of the 4 KiB before the position, or of what there is', () => {
  const text = Array.from({ length: 3000 }, (_, i) => String(i)).join(' ');
  writeFileSync(source, text);
  expect(inputFingerprint(at(0))).toBe(sha(''));
  expect(inputFingerprint(at(100))).toBe(sha(text.slice(0, 100)));
  expect(inputFingerprint(at(9000))).toBe(sha(text.slice(4904, 9000)));
  const before = inputFingerprint(at(text.length));
  appendFileSync(source, 'more');
  requireSameInput(at(text.length), before);
  writeFileSync(source, text.replace('2999', '2998'));
  expect(() => requireSameInput(at(text.length), before)).toThrow(
    expect.objectContaining({ code: 'checkpoint', place: { source, line: 3 } }),
  );
});

it('is an error where the file ends before the position or is not there', () => {
  writeFileSync(source, 'abc');
  expect(inputFingerprint(at(3))).toBe(sha('abc'));
  expect(() => inputFingerprint(at(4))).toThrow(expect.objectContaining({ code: 'checkpoint' }));
  const nowhere = { ...at(1), source: join(folder, 'nowhere') };
  expect(() => inputFingerprint(nowhere)).toThrow(expect.objectContaining({ code: 'file' }));
});

it('is none for what has no bytes at a position: standard input, devices, gzip', () => {
  writeFileSync(source, gzipSync('abc'));
  expect(inputFingerprint(at(3))).toBeUndefined();
  expect(inputFingerprint({ ...at(3), source: '<stdin>' })).toBeUndefined();
  expect(inputFingerprint({ ...at(3), source: '/dev/null' })).toBeUndefined();
});
