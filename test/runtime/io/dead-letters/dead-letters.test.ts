import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, TagstreamError } from '../../../../src/engine/core/errors.js';
import { badRecord } from '../../../../src/formats/bad-records/bad-record.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const position = { source: 'in.ndjson', line: 7, start: 10, end: 14 };
const bad = (code: ErrorCode, raw: string | Uint8Array = 'null') =>
  badRecord(position, raw, new TagstreamError(code, 'it is wrong', { fix: 'mend it' }));

describe('DeadLetters', () => {
  it('throws the error itself where the policy is to fail', () => {
    const deadLetters = new DeadLetters({ policy: 'fail' });
    expect(() => deadLetters.add(bad('not-json'))).toThrowError(
      'in.ndjson:7: it is wrong (mend it)',
    );
    expect(deadLetters.counts).toEqual({ 'not-json': 1 });
  });

  it('counts by code, most first', () => {
    const deadLetters = new DeadLetters({ policy: 'skip' });
    expect(deadLetters.summary()).toBe('0 bad records');
    deadLetters.add(bad('length-mismatch'));
    expect(deadLetters.summary()).toBe('1 bad record (1 length-mismatch)');
    for (const code of ['not-json', 'invalid-utf8', 'not-json'] as const)
      deadLetters.add(bad(code));
    expect(deadLetters.summary()).toBe(
      '4 bad records (2 not-json, 1 invalid-utf8, 1 length-mismatch)',
    );
    expect(deadLetters.total).toBe(4);
    expect(Object.entries(deadLetters.counts)[0]).toEqual(['not-json', 2]);
  });

  it('keeps each record as a line', () => {
    const file = join(directory, 'bad.ndjson');
    const deadLetters = new DeadLetters({ policy: 'dead-letter', file });
    deadLetters.add(bad('not-an-object'));
    expect(deadLetters.kept).toBe(1);
    deadLetters.add(bad('invalid-utf8', Uint8Array.of(97, 0xff)));
    const row = new TagstreamError('wrong-shape', 'a row', { place: { line: 9 } });
    deadLetters.add(badRecord(position, 'a\nb', row));
    deadLetters.add(badRecord(position, `é${'é'.repeat(40_000)}x`, row, true));
    deadLetters.add(badRecord(position, 'é'.repeat(40_000), row));
    deadLetters.close();
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    const place = { source: 'in.ndjson', line: 7, start: 10, end: 14 };
    expect(lines.slice(0, 3)).toEqual([
      { ...place, code: 'not-an-object', error: 'it is wrong (mend it)', raw: 'null' },
      { ...place, code: 'invalid-utf8', error: 'it is wrong (mend it)', rawBase64: 'Yf8=' },
      { ...place, line: 9, recordLine: 7, code: 'wrong-shape', error: 'a row', raw: 'a\nb' },
    ]);
    expect(lines[3].truncated).toBe(true);
    expect(lines[3].raw).toBe('é'.repeat(32_768));
    expect([lines[4].truncated, lines[4].raw]).toEqual([undefined, 'é'.repeat(40_000)]);
    expect(deadLetters.truncated).toBe(1);
  });

  it('leaves a cut character out of the text', () => {
    const file = join(directory, 'bad.ndjson');
    const deadLetters = new DeadLetters({ policy: 'dead-letter', file });
    const error = new TagstreamError('too-long', 'long');
    deadLetters.add(badRecord(position, `x${'é'.repeat(40_000)}`, error, true));
    deadLetters.close();
    expect(JSON.parse(readFileSync(file, 'utf8')).raw).toBe(`x${'é'.repeat(32_767)}`);
  });

  it('adds to a file, and makes none without need', () => {
    const file = join(directory, 'bad.ndjson');
    new DeadLetters({ policy: 'dead-letter', file }).close();
    expect(() => readFileSync(file)).toThrowError('ENOENT');
    for (const time of [1, 2]) {
      const deadLetters = new DeadLetters({
        policy: 'dead-letter',
        file,
        now: () => new Date(time),
      });
      deadLetters.add(bad('not-json'));
      deadLetters.close();
    }
    const times = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).time);
    expect(times).toEqual(['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.002Z']);
  });

  it('names the file that cannot be written', () => {
    const deadLetters = new DeadLetters({
      policy: 'dead-letter',
      file: join(directory, 'no', 'bad'),
    });
    expect(() => deadLetters.add(bad('not-json'))).toThrowError(
      `cannot write the dead letters to ${join(directory, 'no', 'bad')}: no such file or directory`,
    );
  });
});
