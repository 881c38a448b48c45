import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, TagstreamError } from '../../../../src/engine/core/errors.js';
import { badRecord, rawLimit } from '../../../../src/formats/bad-records/bad-record.js';
import {
  readRejected,
  writeRejected,
} from '../../../../src/runtime/io/dead-letters/rejected-record.js';

const count = fc.nat(2 ** 40);

describe('a rejected record', () => {
  it('is one line, and holds what it was made of, byte for byte', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }).map(text => Buffer.from(text)),
    );
    const position = fc.record({ source: fc.string(), line: count, start: count, end: count });
    const errorLine = fc.option(count, { nil: undefined });
    fc.assert(
      fc.property(bytes, position, errorLine, fc.string(), (raw, place, line, problem) => {
        const at = line === undefined ? {} : { place: { line } };
        const bad = badRecord(place, raw, new TagstreamError('not-json', problem, at));
        const text = writeRejected(bad);
        expect([text.indexOf('\n'), text.at(-1)]).toEqual([text.length - 1, '\n']);
        const read = readRejected(text);
        expect(read.position).toEqual(place);
        expect(Buffer.from(read.raw).equals(raw)).toBe(true);
        expect(read.truncated).toBe(false);
        expect(writeRejected(read)).toBe(text);
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it.each(['x', 'é', '\u0000'])('of a record that is too long stays what it is (%j)', unit => {
    const position = { source: 'a', line: 1, start: 0, end: 9 };
    const raw = Buffer.from(`y${unit.repeat(rawLimit)}`);
    const error = new TagstreamError('too-long' as ErrorCode, 'long', { fix: 'cut it' });
    const text = writeRejected(badRecord(position, raw, error, true), new Date(0));
    const read = readRejected(text);
    expect([read.truncated, read.error.problem]).toEqual([true, 'long (cut it)']);
    expect(writeRejected(read, new Date(0))).toBe(text);
  });

  it.each([
    ['{"source":', 'not-json', /^not a rejected record: /],
    ['null', 'wrong-shape', 'not a rejected record: it is not an object'],
    ['{"text":"a"}', 'wrong-shape', 'not a rejected record: line is missing'],
    ['{"line":1,"source":2}', 'wrong-shape', 'not a rejected record: source is of the wrong type'],
    [
      '{"line":1,"source":"a","start":0,"end":1,"rawBase64":3}',
      'wrong-shape',
      'not a rejected record: rawBase64 is of the wrong type',
    ],
  ])('is not %s', (text, code, message) => {
    let error: TagstreamError | undefined;
    try {
      readRejected(text);
    } catch (thrown) {
      error = thrown as TagstreamError;
    }
    expect(error?.code).toBe(code);
    expect(error?.problem).toMatch(message);
  });
});
