import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import type { BadRecord } from '../../../src/formats/bad-records/bad-record.js';
import { foreignCodec } from '../../../src/formats/codecs/foreign/foreign-codec.js';
import { spacy } from '../../../src/formats/codecs/foreign/spacy.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { jsonArrayLines } from '../../../src/formats/lines/json-array-lines.js';
import { openInput } from '../../../src/formats/reading/open-input.js';
import { bytesOf, cut } from '../../runtime/io/sources/read-all.js';

function changed(text: string, size: number): string {
  const { lines, end } = jsonArrayLines.begin();
  return Buffer.concat([...cut(bytesOf(text), size).map(lines), end().rest]).toString();
}

async function read(text: string, size: number) {
  const ids: (string | undefined)[] = [];
  const bad: string[] = [];
  let error: TagstreamError | undefined;
  const stdin = Readable.from(cut(bytesOf(text), size));
  const codec = ndjsonCodec();
  const input = await openInput('-', { stdin, intoLines: codec.intoLines });
  const onBad = (one: BadRecord) => void bad.push(one.error.code);
  try {
    for await (const documents of codec.read(input.chunks, { source: input.source, onBad })) {
      ids.push(...documents.map(({ id }) => id));
    }
  } catch (thrown) {
    error = thrown as TagstreamError;
  }
  return { ids, bad, missing: error?.problem.split('cut off: ')[1] };
}

const record = (id: string) => `{"id":"${id}","text":"a, [\\"b\\"]"}`;

describe('jsonArrayLines', () => {
  it('gives one line an item, however it is written and cut, and as many bytes as there were', () => {
    const item = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.jsonValue(), {
      maxKeys: 3,
    });
    const property = fc.property(
      fc.array(item, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(undefined, 1, '\t'),
      fc.integer({ min: 1, max: 9 }),
      (items, indent, size) => {
        const text = `\ufeff ${JSON.stringify(items, undefined, indent)}\n`;
        const lines = changed(text, size);
        expect(bytesOf(lines).length).toBe(bytesOf(text).length);
        const [, ...rest] = Array.from(lines);
        const found = rest.join('').trim().split('\n');
        expect(found.map(line => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(items)));
      },
    );
    fc.assert(property, { seed: 1, numRuns: 200 });
  });

  it.each([1, 3, 1000])('gives what comes after the array a line, in chunks of %i', async size => {
    const [a, b, c] = ['a', 'b', 'c'].map(record);
    expect(await read(`[${a}] x\n`, size)).toMatchObject({ ids: ['a'], bad: ['not-json'] });
    expect(await read(`[${a}]x\n${b}\n`, size)).toMatchObject({
      ids: ['a', 'b'],
      bad: ['not-json'],
    });
    for (const between of ['', ' ', '\n', '\r\n \n']) {
      expect(await read(`[${a},\n${b}]${between}[\n${c}\n]\n`, size)).toEqual({
        ids: ['a', 'b', 'c'],
        bad: [],
        missing: undefined,
      });
    }
    expect(await read(`[${a}${b},${c}]`, size)).toMatchObject({ ids: ['c'], bad: ['not-json'] });
    expect(await read(`[${a}]\n]`, size)).toMatchObject({ ids: ['a'], bad: ['not-json'] });
    expect(await read(`{"data": [${a}]}`, size)).toMatchObject({ ids: [], bad: ['wrong-shape'] });
  });

  it.each([1, 3, 1000])(
    'says that an array is cut off after all whole items, in chunks of %i',
    async size => {
      const [a, b] = ['a', 'b'].map(record);
      const whole = `\ufeff[ ${a},\n${b}\n]`;
      const ends = [whole.indexOf(a!) + a!.length, whole.indexOf(b!) + b!.length];
      for (let end = 2; end < whole.length; end += 1) {
        const found = await read(whole.slice(0, end), size);
        const ids = ['a', 'b'].slice(0, ends.filter(at => at <= end).length);
        expect([end, found.ids, found.bad]).toEqual([end, ids, []]);
        const isInside = [a!, b!].some(
          item => end > whole.indexOf(item) && end < whole.indexOf(item) + item.length,
        );
        const items = ids.length;
        const wanted = isInside
          ? `it ends within item ${items + 1}`
          : `it has no closing bracket${items === 0 ? '' : ` after item ${items}`}`;
        expect([end, found.missing]).toEqual([end, wanted]);
      }
      expect((await read(whole, size)).missing).toBeUndefined();
      expect(await read(`[${a}, {"a": 1]}`, size)).toMatchObject({
        ids: ['a'],
        bad: ['not-json'],
        missing: 'it has no closing bracket after item 2',
      });
    },
  );

  it('leaves lists of texts, as pairs for spaCy are, a line each', async () => {
    expect(jsonArrayLines.isNeeded(bytesOf(' [ "Ann", {}]'))).toBe(false);
    const line = '["Ann flew", {"entities": [[0, 3, "PER"]]}]\n';
    const codec = foreignCodec(spacy);
    for (const size of [1, 1000]) {
      const stdin = Readable.from(cut(bytesOf(line + line), size));
      const { chunks, source } = await openInput('-', { stdin, intoLines: codec.intoLines });
      const found = [];
      for await (const documents of codec.read(chunks, { source, onBad: () => undefined })) {
        found.push(...documents.map(({ spans }) => spans));
      }
      expect(found).toEqual(Array(2).fill([{ start: 0, end: 3, label: 'PER' }]));
    }
  });

  it('is for what begins with a bracket', () => {
    expect(jsonArrayLines.isNeeded(bytesOf('\ufeff \n['))).toBe(true);
    expect(jsonArrayLines.isNeeded(bytesOf('{"a": []}'))).toBe(false);
    expect(jsonArrayLines.isNeeded(bytesOf('  '))).toBe(false);
  });
});
