import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RotatingFile } from '../../../../src/runtime/io/dead-letters/rotating-file.js';
import {
  countLines,
  rotationName,
  withAllRotations,
  withRotations,
} from '../../../../src/runtime/io/dead-letters/rotations.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  path = join(folder, 'bad.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const all = () => (existsSync(path) ? withRotations(path).flatMap(linesOf) : []);

describe('RotatingFile', () => {
  it('loses no line but those it counts, divides none, and stays within its bound', {
    tags: 'slow',
  }, () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"'), maxLength: 12 });
    // Runs of lines; the file is closed between them, and opened anew with other limits.
    const runs = fc.array(
      fc.record({
        lines: fc.array(line, { maxLength: 30 }),
        maxBytes: fc.integer({ min: 1, max: 80 }),
        keep: fc.integer({ min: 0, max: 4 }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(runs, given => {
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        let number = 0;
        for (const { lines, maxBytes, keep } of given) {
          const before = all();
          const file = new RotatingFile(path, { maxBytes, keep });
          const added = lines.map(text => `${number++}${text}`);
          for (const text of added) file.add(`${text}\n`);
          file.close();
          const present = all();
          // Whole lines, in order: a part of those that there were, and the others are counted.
          const wanted = [...before, ...added];
          const fitting = wanted.filter(
            text => before.includes(text) || Buffer.byteLength(text) < maxBytes,
          );
          expect(present).toEqual(fitting.slice(fitting.length - present.length));
          expect(file.dropped).toBe(wanted.length - present.length);
          const written = added.some(text => Buffer.byteLength(text) < maxBytes);
          if (written) expect(statSync(path).size).toBeLessThanOrEqual(maxBytes);
        }
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  it('holds at most keep + 1 times its size', { tags: 'slow' }, () => {
    const file = new RotatingFile(path, { maxBytes: 100, keep: 2 });
    for (let i = 0; i < 1000; i += 1) {
      file.add(`${'x'.repeat(i % 40)}\n`);
      const names = readdirSync(folder).filter(name => !name.endsWith('.lock'));
      const sizes = names.map(name => statSync(join(folder, name)).size);
      expect(names.length).toBeLessThanOrEqual(3);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    }
    file.close();
    expect(readdirSync(folder).sort()).toEqual(['bad.ndjson', 'bad.ndjson.1', 'bad.ndjson.2']);
    expect(all().length + file.dropped).toBe(1000);
  });

  it('drops what is too much where fewer files are kept than before', () => {
    const many = new RotatingFile(path, { maxBytes: 4, keep: 3 });
    for (const text of ['one', 'two', 'six', 'ten']) many.add(`${text}\n`);
    many.close();
    expect(withRotations(path)).toHaveLength(4);
    const few = new RotatingFile(path, { maxBytes: 4, keep: 1 });
    few.add('old\n');
    few.close();
    expect(all()).toEqual(['ten', 'old']);
    expect([withRotations(path).length, few.dropped]).toEqual([2, 3]);
  });

  it('ends the line that a crash has left open', () => {
    writeFileSync(path, 'one\ntw');
    const file = new RotatingFile(path, { maxBytes: 100, keep: 1 });
    file.add('three\n');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntw\nthree\n');
  });

  it('writes to what is no plain file without a limit', () => {
    const target = join(folder, 'target');
    writeFileSync(target, '');
    symlinkSync(target, path);
    const file = new RotatingFile(path, { maxBytes: 5, keep: 1 });
    for (const text of ['one', 'two', 'too long']) file.add(`${text}\n`);
    file.close();
    expect(readFileSync(target, 'utf8')).toBe('one\ntwo\ntoo long\n');
    expect([readdirSync(folder).sort(), file.dropped]).toEqual([['bad.ndjson', 'target'], 0]);
  });

  it('names the file where the disk is full', () => {
    const file = new RotatingFile('/dev/full', { maxBytes: 100, keep: 1 });
    expect(() => file.add('one\n')).toThrowError(
      'cannot write the dead letters to /dev/full: no space is left on the device',
    );
  });
});

describe('countLines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['\n\n', 2],
    [`${'x\n'.repeat(100_000)}y`, 100_001],
  ])('%#', (text, count) => {
    writeFileSync(path, text);
    expect(countLines(path)).toBe(count);
  });
});

describe('withRotations', () => {
  it('has the oldest first, also where the newest is not there yet', () => {
    for (const n of [1, 2, 4]) writeFileSync(rotationName(path, n), '');
    expect(withRotations(path)).toEqual([2, 1].map(n => rotationName(path, n)));
    writeFileSync(path, '');
    expect(withRotations(path)).toEqual([2, 1, 0].map(n => rotationName(path, n)));
  });
});

describe('a dead-letter file that other programs rotate', () => {
  it.each<[string, () => void]>([
    ['rename', () => renameSync(path, `${path}-20260131`)],
    [
      'rename, create',
      () => {
        renameSync(path, `${path}-20260131`);
        writeFileSync(path, '');
      },
    ],
    [
      'copytruncate',
      () => {
        copyFileSync(path, `${path}-20260131`);
        truncateSync(path);
      },
    ],
  ])('goes on in a file of its name after %s', (_, disturb) => {
    const file = new RotatingFile(path, { maxBytes: 8, keep: 2 });
    file.add('one\n');
    disturb();
    for (const line of ['two\n', 'six\n', 'ten\n']) file.add(line);
    file.close();
    expect([...withAllRotations(path)].map(linesOf)).toEqual([['one'], ['two', 'six'], ['ten']]);
  });

  it('goes on after it was deleted', () => {
    const file = new RotatingFile(path, { maxBytes: 80, keep: 2 });
    file.add('one\n');
    rmSync(path);
    file.add('two\n');
    file.close();
    expect(all()).toEqual(['two']);
  });
});
