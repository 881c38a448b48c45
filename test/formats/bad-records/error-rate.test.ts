import { Readable } from 'node:stream';
import { lastValueFrom, map, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, TagstreamError } from '../../../src/engine/core/errors.js';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import { attempt } from '../../../src/engine/operators/attempt.js';
import { badRecord } from '../../../src/formats/bad-records/bad-record.js';
import type { ErrorRateLimit } from '../../../src/formats/bad-records/error-rate.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import {
  type DeadLetterOptions,
  DeadLetters,
} from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { bytesOf, cut } from '../../runtime/io/sources/read-all.js';

const badOf = (code: ErrorCode, line: number) =>
  badRecord(
    { source: 'in', line, start: 0, end: 1 },
    'x',
    new TagstreamError(code, `wrong ${line}`),
  );

/** The number of the record at which a run with these outcomes ends, with its error. */
function endOf(outcomes: string, limit: ErrorRateLimit) {
  const deadLetters = new DeadLetters({ policy: 'skip', ...limit });
  for (const [index, outcome] of [...outcomes].entries()) {
    if (outcome === '.') {
      deadLetters.pass();
      continue;
    }
    try {
      deadLetters.add(badOf(outcome === 'x' ? 'not-json' : 'stage', index + 1));
    } catch (error) {
      return { number: index + 1, error: error as TagstreamError, total: deadLetters.total };
    }
  }
  return undefined;
}

describe('too many bad records', () => {
  const rows: [string, ErrorRateLimit, number | undefined][] = [
    ['xxxxx', { maxErrorRate: 0.5, after: 4 }, 4],
    ['xx..x', { maxErrorRate: 0.5, after: 4 }, 5],
    ['xx..', { maxErrorRate: 0.5, after: 4 }, undefined],
    ['....xxxx', { maxErrorRate: 0.5, after: 4 }, undefined],
    ['....xxxxx', { maxErrorRate: 0.5, after: 4 }, 9],
    ['x', { maxErrorRate: 0, after: 1 }, 1],
    ['.x', { maxErrorRate: 0, after: 1 }, 2],
    ['x'.repeat(50), { maxErrorRate: 1, after: 1 }, undefined],
    ['x'.repeat(999), {}, undefined],
    ['x'.repeat(1000), {}, 1000],
    [`${'.'.repeat(10)}${'x'.repeat(990)}`, {}, undefined],
    [`${'.'.repeat(10)}${'x'.repeat(991)}`, {}, 1001],
    [`${'.'.repeat(600)}${'x'.repeat(1000)}.${'x'.repeat(1000)}`, {}, undefined],
    [`${'.'.repeat(600)}${'x'.repeat(1001)}`, {}, 1601],
    [`${'.'.repeat(600)}${'xs'.repeat(2000)}`, { maxBadInRow: 0 }, undefined],
    ['..xsxs.xx', { maxBadInRow: 3 }, 6],
    ['xxx.x', { maxErrorRate: 1 }, undefined],
    ['xxx.x', { maxErrorRate: 1, maxBadInRow: 2 }, 3],
  ];
  it.each(rows)('%s under %j: ends at %s', (outcomes, limit, number) => {
    expect(endOf(outcomes, limit)?.number).toBe(number);
  });

  it('are reported with the share, what most of them are, an example and the likely fix', () => {
    const { error, total } = endOf('.sxx', { maxErrorRate: 0.7, after: 3 })!;
    expect(total).toBe(3);
    expect(error.code).toBe('too-many-bad');
    expect(error.message).toBe(
      'in: 3 of 4 records are bad (75 %), 2 of them not-json, first at in:3: wrong 3 ' +
        '(is it NDJSON? if not, name its format with --format or in the source of the pipeline; ' +
        'if the input is right, raise maxErrorRate)',
    );
  });
});

describe('records in a row', () => {
  const ends = (options: Partial<DeadLetterOptions>, codes: readonly ErrorCode[]) => {
    const deadLetters = new DeadLetters({ policy: 'skip', maxBadInRow: 3, ...options });
    deadLetters.pass(10);
    const end = codes.findIndex((code, i) => {
      try {
        deadLetters.add(badOf(code, i + 11));
        return false;
      } catch {
        return true;
      }
    });
    return end < 0 ? undefined : end;
  };

  it('are those of any fault, without those that are skipped by name', () => {
    const codes: ErrorCode[] = ['stage', 'not-json', 'too-large', 'not-json', 'stage', 'stage'];
    expect(ends({}, codes)).toBe(3);
    const named = { policies: { 'not-json': 'skip' } } as const;
    expect(ends(named, codes)).toBeUndefined();
    expect(ends(named, ['stage', 'stage', 'stage', 'stage'])).toBe(3);
  });

  it('are found out of order, as a minibatch brings them', () => {
    const deadLetters = new DeadLetters({ policy: 'skip', maxBadInRow: 3 });
    deadLetters.pass(20);
    for (const number of [12, 14, 11]) deadLetters.add(badOf('stage', number), number);
    expect(() => deadLetters.add(badOf('stage', 13), 13)).toThrow(
      /^in: 4 records in a row are bad/,
    );
  });
});

describe('a source', () => {
  // Of each ten records two are not JSON and one fails in a stage; from the 60th on all are bad.
  const lines = Array.from({ length: 200 }, (_, i) => {
    if (i % 10 === 3 || i % 10 === 8 || i >= 60) return '{"id":';
    return `{"id":${i},"text":"${i % 10 === 5 ? 'no' : 'yes'}"}`;
  });
  const input = bytesOf(lines.join('\n'));

  async function read(chunk: number) {
    const deadLetters = new DeadLetters({ policy: 'skip', maxErrorRate: 0.5, after: 20 });
    const stdin = Readable.from(cut(input, chunk), { objectMode: false });
    const seen: string[] = [];
    const documents = documentSource({ files: ['-'], codec: ndjsonCodec(), deadLetters, stdin });
    const run = documents.pipe(
      attempt((document: Document) => {
        if (document.text === 'no') throw new Error('no');
        return document;
      }),
      map(document => {
        seen.push(document.id!);
        document.delivery?.release();
        return document;
      }),
      toArray(),
    );
    const error = await lastValueFrom(run).catch((thrown: unknown) => thrown as TagstreamError);
    return { seen, counts: deadLetters.counts, message: (error as TagstreamError).message };
  }

  it('ends at the same record however the bytes come, all before it being emitted', async () => {
    // Of 60 records 18 are bad; n more, all bad, are too many when 18 + n > (60 + n) / 2.
    const expected = {
      seen: lines.slice(0, 60).flatMap((_, i) => ([3, 5, 8].includes(i % 10) ? [] : [String(i)])),
      counts: { 'not-json': 37, stage: 6 },
      message: expect.stringContaining('<stdin>: 43 of 85 records are bad (50.5 %)') as string,
    };
    for (const chunk of [1, 7, 100, 1000, 100_000]) expect(await read(chunk)).toEqual(expected);
  });
});
