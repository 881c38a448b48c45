import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atomicWrite, writeDurably } from '../../../../src/runtime/io/writing/atomic-write.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('atomicWrite', () => {
  it('writes text and bytes, and replaces what was there', () => {
    const path = join(directory, 'a');
    atomicWrite(path, 'é');
    expect(readFileSync(path, 'utf8')).toBe('é');
    atomicWrite(path, Uint8Array.of(1, 2));
    expect(readFileSync(path)).toEqual(Buffer.of(1, 2));
    expect(readdirSync(directory)).toEqual(['a']);
  });

  it('leaves the old content and nothing else where it fails', () => {
    const path = join(directory, 'a');
    writeFileSync(path, 'old');
    expect(() => atomicWrite(path, { length: 1 } as Uint8Array)).toThrowError(
      `cannot write ${path}`,
    );
    expect(() => atomicWrite(join(directory, 'no', 'a'), '')).toThrowError(
      'no such file or directory',
    );
    expect(() => atomicWrite(directory, '')).toThrowError('it is a directory');
    expect(readdirSync(directory)).toEqual(['a']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('reports a full disk', () => {
    expect(() => writeDurably('/dev/full', ['x'])).toThrowError('ENOSPC');
    expect(() => atomicWrite('/dev/full', 'x')).toThrowError(
      'cannot write /dev/full: no space is left on the device',
    );
  });
});
