import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ResumableFile } from '../../../src/io/writing/resumable-file.js';

let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
  path = join(directory, 'out');
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (file: ResumableFile, text: string) =>
  new Promise(resolve => file.write(text, resolve));

describe('ResumableFile', () => {
  it('grows beside its name, which it gets with commit', async () => {
    const file = new ResumableFile(path);
    expect(await write(file, 'grün\n')).toBeUndefined();
    expect([file.bytes, existsSync(path)]).toEqual([6, false]);
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('grün\n');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('grün\n');
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('is cut back to where it resumes from', async () => {
    const first = new ResumableFile(path);
    await write(first, 'one\ntwo\nthr');
    await first.abort();
    const second = new ResumableFile(path, 4);
    await write(second, 'TWO\n');
    await second.commit();
    expect(readFileSync(path, 'utf8')).toBe('one\nTWO\n');
  });

  it('refuses a file that is shorter than was recorded, or gone', () => {
    expect(() => new ResumableFile(path, 4)).toThrowError('out.part is gone, and the checkpoint');
    writeFileSync(`${path}.part`, 'one');
    expect(() => new ResumableFile(path, 4)).toThrowError(
      'out.part has 3 bytes, and the checkpoint resumes after 4 (restore the file, or start again without --resume)',
    );
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('one');
  });

  it('refuses what cannot be cut back', () => {
    expect(() => new ResumableFile(`${path}.gz`)).toThrowError('cannot be resumed');
    expect(() => new ResumableFile('/dev/null')).toThrowError('cannot be resumed');
    expect(() => new ResumableFile(join(directory, 'no/out'))).toThrowError('no such file');
  });

  it.runIf(existsSync('/dev/full'))('hands on what the system refuses', async () => {
    const file = new ResumableFile(path);
    await file.abort();
    expect(await write(file, 'x')).toMatchObject({ code: 'EBADF' });
  });
});
