import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/engine/text/redact.js';
import { JsonText } from '../../../src/formats/codecs/ndjson/json-text.js';
import { redactedRecord } from '../../../src/formats/codecs/ndjson/redacted-record.js';

describe('redact', () => {
  it('replaces spans in the order of the text, and those that overlap once', () => {
    const spans = [
      { label: 'B', offsets: [4, 6] },
      { label: 'A', offsets: [0, 2] },
      { label: 'C', offsets: [5, 8] },
      { label: 'D', offsets: [8, 9] },
    ] as const;
    expect(redact('0123456789', spans, '<{n}{label}>')).toBe('<1A>23<2B><3D>9');
    expect(redact('0123', [], '{label}')).toBe('0123');
    expect(redact('01', [{ label: '$&{n}', offsets: [0, 1] }], '{label}{}')).toBe('$&{n}{}1');
  });

  it('refuses other names in braces', () => {
    expect(() => redact('a', [], '{text}')).toThrow('unknown placeholder {text}');
  });

  it('refuses spans that are not of the text', () => {
    for (const offsets of [[0, 2], [1, 0], [-1, 1], [0.5, 1], undefined]) {
      const spans = [{ label: 'A', offsets }] as never;
      expect(() => redact('a', spans, 'x')).toThrow('span 0 is not within the text');
    }
  });
});

const piece = fc.constantFrom(
  ...['a', ' ', '\\u0041', '\\/', '/', '\\ud83d\\ude00', '😀', '\\"', '\\\\', '\\n', 'é', '\\\\u'],
);

describe('a redacted record', () => {
  it('has every other byte, whatever escapes its text is written with', () => {
    const texts = fc.array(piece, { minLength: 1, maxLength: 12 });
    const marks = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(texts, marks, fc.constantFrom('"', '', '[{n}]'), (pieces, marked, pattern) => {
        const [head, tail] = ['{"n" : 1.0, "a":{ "b":"', '" , "c":1e400}}'];
        const document = {
          raw: head + pieces.join('') + tail,
          text: pieces.map(one => JSON.parse(`"${one}"`) as string).join(''),
        };
        const offsets: [number, number][] = [];
        let at = 0;
        for (const one of pieces) {
          const { length } = JSON.parse(`"${one}"`) as string;
          offsets.push([at, at + length]);
          at += length;
        }
        const spans = pieces.flatMap((_, start) =>
          marked[start] ? [{ label: 'X', start, end: start + 1 }] : [],
        );
        const tagged = { document, tokens: pieces, offsets, tags: [], spans };
        let n = 0;
        const wanted = pieces.map((one, i) => {
          if (!marked[i]) return one;
          n += 1;
          return JSON.stringify(pattern.replace('{n}', String(n))).slice(1, -1);
        });
        const found = redactedRecord(document, tagged, { paths: [['a', 'b']], pattern });
        expect(found).toBe(head + wanted.join('') + tail);
        const text = new JsonText(found).at(['a', 'b'])!.value;
        const places = spans.map(({ label, start }) => ({ label, offsets: offsets[start]! }));
        expect(text).toBe(redact(document.text, places, pattern));
      }),
      { numRuns: 2000 },
    );
  });

  it('is none where something else would keep what is taken out', () => {
    const spans = [{ label: 'X', start: 0, end: 1 }];
    const results = { tokens: ['a'], offsets: [[0, 1] as const], tags: ['B-X'], spans };
    const twice = { text: 'a', raw: '{"text":"a","text":"a"}' };
    const own = { text: 'a', tokens: ['a'], raw: '{"text":"a","tokens":["a"]}' };
    const written = (document: typeof twice) => () =>
      redactedRecord(document, { document, ...results }, { paths: [['text']], pattern: 'x' });
    expect(written(twice)).toThrow('the record has 2 members named text');
    expect(written(own)).toThrow('tokens next to its text');
  });
});
