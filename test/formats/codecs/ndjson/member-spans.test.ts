import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberSpans } from '../../../../src/formats/codecs/ndjson/member-spans.js';

const members = (json: string) =>
  memberSpans(json).map(m => [
    m.key,
    json.slice(m.keyStart, m.keyEnd),
    json.slice(m.valueStart, m.valueEnd),
  ]);

describe('memberSpans', () => {
  it('finds keys and values of every kind', () => {
    const json =
      ' { "a" : 1.0 ,"b":[{"c":"]"}],"d":{"e":"}\\""} , "f":"x\\\\","g":null,"h":-1e400}\t';
    expect(members(json)).toEqual([
      ['a', '"a"', '1.0'],
      ['b', '"b"', '[{"c":"]"}]'],
      ['d', '"d"', '{"e":"}\\""}'],
      ['f', '"f"', '"x\\\\"'],
      ['g', '"g"', 'null'],
      ['h', '"h"', '-1e400'],
    ]);
  });

  it('resolves escapes in keys and keeps duplicates', () => {
    expect(members('{"t\\u0061gs":1,"tags":2,"\\"":3}')).toEqual([
      ['tags', '"t\\u0061gs"', '1'],
      ['tags', '"tags"', '2'],
      ['"', '"\\""', '3'],
    ]);
  });

  it('finds none in an empty object', () => {
    expect(members('{ }')).toEqual([]);
  });

  it('passes over values of any depth', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(members(`{"a":${deep},"b":1}`)[1]).toEqual(['b', '"b"', '1']);
  });

  it.each(['', '{', '{"a', '{"a"', '{"a":', '{"a":[', '{"a":"', '{"a":1', '{"a" 1}'])(
    'throws on %j',
    json => {
      expect(() => memberSpans(json)).toThrowError(/not a JSON object|cut short/);
    },
  );

  it('agrees with JSON.parse on random objects, with random white space', () => {
    const space = fc.constantFrom('', ' ', '\t', ' \r ');
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 6 });
    const property = fc.property(
      object,
      fc.array(space, { minLength: 8, maxLength: 8 }),
      (o, s) => {
        const texts = Object.entries(o).map(
          ([k, v]) =>
            `${s[0]}${JSON.stringify(k)}${s[1]}:${s[2]}${JSON.stringify(v, null, s[3])}${s[4]}`,
        );
        const json = `${s[5]}{${s[6]}${texts.join(',')}}${s[7]}`;
        const found = memberSpans(json).map(m => [
          m.key,
          JSON.parse(json.slice(m.valueStart, m.valueEnd)),
        ]);
        expect(found).toEqual(Object.entries(JSON.parse(json) as object));
        for (const m of memberSpans(json)) {
          expect(JSON.parse(json.slice(m.keyStart, m.keyEnd))).toBe(m.key);
          expect(json.slice(m.valueStart, m.valueEnd).trim().length).toBe(
            m.valueEnd - m.valueStart,
          );
        }
      },
    );
    fc.assert(property, { seed: 1, numRuns: 500 });
  });
});
