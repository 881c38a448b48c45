import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document, TextSpan } from '../../../../src/engine/core/sentence/document.js';
import { offsetUnits } from '../../../../src/formats/codecs/foreign/counting.js';
import { foreignCodec } from '../../../../src/formats/codecs/foreign/foreign-codec.js';
import {
  doccano,
  foreignFormats,
  spansFormat,
} from '../../../../src/formats/codecs/foreign/foreign-formats.js';
import { labelStudio } from '../../../../src/formats/codecs/foreign/label-studio.js';
import { prodigy } from '../../../../src/formats/codecs/foreign/prodigy.js';
import { labelledText } from '../../../../src/formats/codecs/foreign/read-spans.js';
import { spacy } from '../../../../src/formats/codecs/foreign/spacy.js';
import { everyNth } from '../../../house/long-forms.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

/** Texts with characters beyond U+FFFF, and spans at any characters of them, or at whole words. */
const labelledAt = (where: 'characters' | 'words') =>
  fc
    .array(fc.constantFrom('Ann', '😀', ' ', 'é', 'New York', '👩‍👩‍👧', '.'), {
      minLength: 1,
      maxLength: 8,
    })
    .chain(pieces => {
      const text = pieces.join('');
      const places = [0];
      for (const part of where === 'words' ? pieces : text) {
        places.push(places.at(-1)! + part.length);
      }
      const place = fc.nat({ max: places.length - 1 });
      const span = fc
        .tuple(place, place, fc.constantFrom('PER', 'LOC'))
        .filter(([a, b]) => a !== b)
        .map(([a, b, label]): TextSpan => {
          const [start, end] = [Math.min(a, b), Math.max(a, b)];
          return { start: places[start]!, end: places[end]!, label };
        });
      const fitting = (spans: readonly TextSpan[]) =>
        spans.filter(({ start, end }) => where === 'characters' || fitsWords(text, start, end));
      return fc.record({
        text: fc.constant(text),
        spans: fc.array(span, { maxLength: 4 }).map(fitting),
      });
    });

/** Whether a piece of text holds a word, and no letters are around it. */
function fitsWords(text: string, start: number, end: number): boolean {
  const isLetter = (at: number) => /\p{L}/u.test(text.charAt(at));
  const isCut = (at: number) => isLetter(at - 1) && isLetter(at);
  return /\p{L}/u.test(text.slice(start, end)) && !isCut(start) && !isCut(end);
}

const text = '😀 Ann flew.';
const wanted: Document = { text, spans: [{ start: 3, end: 6, label: 'PER' }] };

/** Brat has lines of its own in its records; see brat.test.ts. */
const formats = foreignFormats.filter(({ name }) => name !== 'brat');

for (const part of everyNth(4, formats)) {
  describe.each(part.rows)('$name', { tags: part.tags }, format => {
    it('brings back texts and spans, whatever characters there are', async () => {
      const units = fc.constantFrom(undefined, ...offsetUnits);
      const cases = units.chain(offsets => {
        const one = labelledAt(offsets === undefined ? 'words' : 'characters');
        return fc.tuple(fc.constant(offsets), fc.array(one, { maxLength: 3 }));
      });
      const property = fc.asyncProperty(cases, async ([offsets, list]) => {
        const codec = foreignCodec(format, { offsets });
        const written = list.map(one => codec.writeDocument(one));
        for (const lines of [written.join(''), written.join('').replaceAll('\n', '\r\n')]) {
          const { documents, bad } = await readAll(codec, lines);
          expect(bad).toEqual([]);
          expect(documents.map(content)).toEqual(list);
        }
      });
      await fc.assert(property, { seed: 1, numRuns: 400 });
    });

    it('says which span is at no place of the text', async () => {
      const codec = foreignCodec(format);
      const line = codec.writeDocument({ text, spans: [{ start: 3, end: 6, label: 'PER' }] });
      const end = format === spansFormat ? '6' : '5';
      const wrong = line.replace(new RegExp(`("end":|,)${end}\\b`), '$199');
      expect(wrong).not.toBe(line);
      const { bad } = await readAll(codec, `${wrong}${line}"a"\n{`);
      expect(bad.map(({ error }) => error.code)).toEqual([
        'wrong-shape',
        'wrong-shape',
        'not-json',
      ]);
      expect(bad[0]!.error.problem).toMatch(/\[\d, ?99, ?"PER"\]|\[\d,99,"PER"\]/);
    });

    it('writes tagged records with the spans that were found, and keeps other members', async () => {
      const codec = foreignCodec(format);
      const record = { ...(format.fromDocument({ text, spans: [] }) as object), more: { a: 1 } };
      const { documents } = await readAll(codec, `${JSON.stringify(record)}\n`);
      const tagged = {
        document: documents[0]!,
        tokens: ['😀', 'Ann', 'flew', '.'],
        offsets: [
          [0, 2],
          [3, 6],
          [7, 11],
          [11, 12],
        ] as const,
        tags: ['O', 'B-PER', 'O', 'O'],
      };
      const written = JSON.parse(codec.write(tagged)) as Record<string, unknown>;
      expect(written.more).toEqual({ a: 1 });
      if (format === labelStudio) {
        expect(written.predictions).toMatchObject([
          { result: [{ value: { start: 2, end: 5, text: 'Ann', labels: ['PER'] } }] },
        ]);
      } else {
        const { tokens, offsets, ...found } = format.toDocument(written)!;
        expect(found).toEqual(wanted);
      }
      expect(JSON.parse(codec.write(tagged, { output: 'tags' }))).toEqual({ tags: tagged.tags });
    });
  });
}

it.each([
  [doccano, '{"id": 7, "text": "Go on", "x": 1.0}'],
  [spansFormat, '{"id": 7, "text": "Go on", "x": 1.0}'],
  [spacy, '{"text": "Go on", "x": 1.0}'],
  [prodigy, '{"text": "Go on", "x": 1.0}'],
  [labelStudio, '{"id": 7, "data": {"text": "Go on"}, "x": 1.0}'],
])('$name: an untagged record passes as it is', async (format, record) => {
  const codec = foreignCodec(format);
  const [document] = (await readAll(codec, `${record}\n`)).documents;
  const untagged = { document: document!, tokens: ['Go', 'on'], tags: [], untagged: true } as const;
  expect(codec.write(untagged)).toBe(`${record}\n`);
});

describe('what tools write', () => {
  it.each([
    ['doccano, labels', doccano, { text, labels: [[2, 5, 'PER']] }],
    [
      'doccano, entities',
      doccano,
      { text, entities: [{ id: 3, label: 'PER', start_offset: 2, end_offset: 5 }] },
    ],
    [
      'entities with start and end',
      doccano,
      { text, entities: [{ start: 2, end: 5, label: 'PER' }] },
    ],
    ['spaCy, a pair', spacy, [text, { entities: [[2, 5, 'PER']] }]],
    [
      'spaCy, doc.to_json()',
      spacy,
      { text, ents: [{ start: 2, end: 5, label: 'PER' }], tokens: [] },
    ],
    ['spaCy, named groups', spacy, { text, spans: { sc: [{ start: 2, end: 5, label: 'PER' }] } }],
    [
      'Prodigy without tokens',
      prodigy,
      { text, spans: [{ start: 2, end: 5, label: 'PER' }], answer: 'accept' },
    ],
    [
      'Label Studio, short',
      labelStudio,
      { text, label: [{ start: 2, end: 5, text: 'Ann', labels: ['PER'] }] },
    ],
  ])('is read: %s', (_, format, record) => {
    expect(format.toDocument(record)).toEqual(wanted);
  });

  it('puts aside what Prodigy was answered with reject or ignore, which counts as blank', async () => {
    const lines = ['accept', 'reject', 'ignore']
      .map(answer => JSON.stringify({ text, spans: [], answer }))
      .join('\n');
    const { documents, bad, blanks } = await readAll(foreignCodec(prodigy), lines);
    expect([documents.length, bad.length, blanks]).toEqual([1, 0, 2]);
  });

  it('takes the tokens of Prodigy, and gives them', () => {
    const document = labelledText({
      text,
      tokens: ['😀', 'Ann'],
      offsets: [
        [0, 2],
        [3, 6],
      ],
      tags: ['O', 'B-PER'],
    });
    const record = prodigy.fromDocument(document);
    expect(record.tokens).toEqual([
      { text: '😀', start: 0, end: 1, id: 0, ws: true },
      { text: 'Ann', start: 2, end: 5, id: 1, ws: true },
    ]);
    expect(record.spans).toEqual([
      { start: 2, end: 5, token_start: 1, token_end: 1, label: 'PER' },
    ]);
    expect(prodigy.toDocument(record)).toMatchObject({
      tokens: ['😀', 'Ann'],
      offsets: [
        [0, 2],
        [3, 6],
      ],
    });
  });

  it('chooses among the annotations of a task', () => {
    const region = (start: number, label: string) => ({
      value: { start, end: start + 1, labels: [label] },
    });
    const task = (...annotations: object[]) =>
      labelStudio.toDocument({ data: { text: 'abc' }, annotations });
    const first = { result: [region(0, 'A')] };
    const truth = { result: [region(1, 'B')], ground_truth: true };
    expect(task(first, truth)!.spans).toEqual([{ start: 1, end: 2, label: 'B' }]);
    expect(task({ ...truth, was_cancelled: true }, first)!.spans).toEqual([
      { start: 0, end: 1, label: 'A' },
    ]);
    expect(task({ ...first, was_cancelled: true })).toBeUndefined();
    expect(task()!.spans).toBeUndefined();
    expect(task({ result: [{ value: { choices: ['x'] } }] })!.spans).toEqual([]);
  });

  it('takes regions of Label Studio where their text stands', () => {
    const inUnits = { start: 3, end: 6, text: 'Ann', labels: ['PER'] };
    expect(labelStudio.toDocument({ text, label: [inUnits] })).toEqual(wanted);
  });

  it('makes one text of tokens, and spans of parts of speech', () => {
    expect(labelledText({ id: 'a', tokens: ['It', 'rains'], tags: ['PRON', 'VERB'] })).toEqual({
      id: 'a',
      text: 'It rains',
      tokens: [
        [0, 2],
        [3, 8],
      ],
      spans: [
        { start: 0, end: 2, label: 'PRON' },
        { start: 3, end: 8, label: 'VERB' },
      ],
    });
    expect(() => labelledText({ tokens: ['a'], partialTags: [['X', 'Y']] })).toThrow(
      /one of several/,
    );
  });
});
