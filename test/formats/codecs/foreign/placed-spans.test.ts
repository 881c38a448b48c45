import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import {
  countingOf,
  type OffsetUnit,
  offsetUnits,
} from '../../../../src/formats/codecs/foreign/counting.js';
import { foreignCodec } from '../../../../src/formats/codecs/foreign/foreign-codec.js';
import { foreignFormats } from '../../../../src/formats/codecs/foreign/foreign-formats.js';
import { placeSpans } from '../../../../src/formats/codecs/foreign/placed-spans.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

/** Offsets by what other programs say: code points by `Array.from`, bytes by `Buffer`. */
const lengths: Readonly<Record<OffsetUnit, (text: string) => number>> = {
  codepoints: text => Array.from(text).length,
  utf16: text => text.length,
  bytes: text => Buffer.byteLength(text),
};

type Span = readonly [start: number, end: number, label: string, shown?: string];

/** A record of each format, its offsets as they are given. */
const records: Readonly<Record<string, (text: string, spans: readonly Span[]) => object>> = {
  spans: (text, spans) => ({
    text,
    spans: spans.map(([start, end, label, shown]) => ({ start, end, label, text: shown })),
  }),
  doccano: (text, spans) => ({ text, label: spans.map(span => span.slice(0, 3)) }),
  spacy: (text, spans) => ({ text, entities: spans.map(span => span.slice(0, 3)) }),
  prodigy: (text, spans) => ({
    text,
    spans: spans.map(([start, end, label, shown]) => ({ start, end, label, text: shown })),
  }),
  'label-studio': (text, spans) => ({
    data: { text },
    annotations: [
      {
        result: spans.map(([start, end, label, shown]) => ({
          value: { start, end, labels: [label], text: shown },
        })),
      },
    ],
  }),
  brat: (text, spans) => ({
    text,
    ann: spans
      .map(([start, end, label, shown], i) => {
        const last = shown === undefined ? '' : `\t${shown.replace(/\n/g, ' ')}`;
        return `T${i + 1}\t${label} ${start} ${end}${last}\n`;
      })
      .join(''),
  }),
};

/** Where words are in a text, as a tool counts. */
function spansAt(text: string, words: readonly string[], unit: OffsetUnit, shows: boolean): Span[] {
  return words.map(word => {
    const at = text.indexOf(word);
    const place = [at, at + word.length].map(units => lengths[unit](text.slice(0, units)));
    return [place[0]!, place[1]!, 'X', ...(shows ? [word] : [])] as unknown as Span;
  });
}

describe.each(foreignFormats)('offsets of $name', format => {
  const { name } = format;
  const textual = ['spans', 'prodigy', 'label-studio', 'brat'].includes(name);
  const read = async (record: object, offsets?: OffsetUnit) => {
    const { documents, bad } = await readAll(
      foreignCodec(format, { offsets }),
      `${JSON.stringify(record)}\n`,
    );
    const [document] = documents;
    return {
      found: document?.spans?.map(({ start, end }) => document.text!.slice(start, end)),
      problem: bad[0]?.error.message,
    };
  };
  const make = records[name]!;

  it('are read in any unit that the words of the record show, and in the one that is set', async () => {
    for (const [text, words] of [
      ['😀 Ann flew to 🏝️ New York.', ['Ann', 'New York']],
      ['Zoë 😀😀 met Jürgen and é', ['Jürgen']],
      ['👩‍👩‍👧 A\u0301nna 🇳🇴 Oslo', ['A\u0301nna', 'Oslo']],
    ] as const) {
      for (const unit of offsetUnits) {
        for (const shows of textual ? [true, false] : [false]) {
          const record = make(text, spansAt(text, words, unit, shows));
          expect([unit, (await read(record)).found]).toEqual([unit, words]);
          expect([unit, (await read(record, unit)).found]).toEqual([unit, words]);
        }
      }
    }
  });

  it.runIf(textual)('are compared with the text that is said to stand there', async () => {
    const text = 'Pink Bears XTC pills in Oslo';
    const wrong = await read(make(text, [[15, 20, 'DRUG', 'XTC']]));
    expect(wrong.found).toBeUndefined();
    expect(wrong.problem).toMatch(
      /15 to 20, is "pills", but its text is "XTC" \(that text is at 11/,
    );
    expect((await read(make(text, [[11, 14, 'DRUG', 'XTC']]))).found).toEqual(['XTC']);
    expect((await read(make(text, [[11, 15, 'DRUG', 'xtc']]))).found).toEqual(['XTC ']);
    const gone = await read(make(text, [[15, 20, 'DRUG', 'MDMA']]));
    expect(gone.problem).toContain('correct one of them');
    const both = await read(
      make(text, [
        [11, 14, 'DRUG', 'XTC'],
        [15, 20, 'DRUG', 'Oslo'],
      ]),
    );
    expect(both.problem).toContain('"pills", but its text is "Oslo"');
  });

  it.runIf(textual)('say that the unit which is set is not that of the record', async () => {
    const text = '😀 Ann flew';
    for (const [unit, other] of [
      ['codepoints', 'utf16'],
      ['utf16', 'codepoints'],
      ['bytes', 'codepoints'],
    ] as const) {
      const { problem } = await read(make(text, spansAt(text, ['Ann'], unit, true)), other);
      expect(problem).toMatch(/set offsets in the source/);
    }
  });

  it('are read where line ends or a byte order mark were counted in another way', async () => {
    const text = 'Hello there.\r\n\r\nAnn flew\r\nto Oslo.\r\n';
    const counted = text.replaceAll('\r\n', '\n');
    const unix = make(text, spansAt(counted, ['Ann', 'Oslo'], 'codepoints', textual));
    expect((await read(unix)).found).toEqual(['Ann', 'Oslo']);
    const marked = make(
      '\ufeffAnn flew',
      spansAt('Ann flew', ['Ann', 'flew'], 'codepoints', textual),
    );
    expect((await read(marked)).found).toEqual(['Ann', 'flew']);
  });

  it('are rejected within a character, and out of the text', async () => {
    const text = 'é😀 Ann';
    const halves = [
      ['utf16', 2, 4],
      ['bytes', 1, 2],
      ['bytes', 3, 7],
    ] as const;
    for (const [unit, start, end] of halves) {
      const { problem } = await read(make(text, [[start, end, 'X']]), unit);
      expect(problem).toMatch(/inside a character/);
    }
    for (const place of [
      [3, 99],
      [3, 3],
      [-1, 2],
    ] as const) {
      const { found, problem } = await read(make(text, [[...place, 'X']]));
      expect(found).toBeUndefined();
      expect(problem).toBeDefined();
    }
  });
});

describe('countingOf', () => {
  it('agrees with lengths of what comes before', () => {
    for (const text of ['', 'abc', 'é😀 A\u0301 👩‍👩‍👧\n', '😀'.repeat(9)]) {
      for (const unit of offsetUnits) {
        const { length, toUnits, fromUnits } = countingOf(text, unit);
        expect(length).toBe(lengths[unit](text));
        const starts = new Map<number, number>();
        let at = 0;
        for (const character of [...text, '']) {
          starts.set(lengths[unit](text.slice(0, at)), at);
          expect(fromUnits(at)).toBe(lengths[unit](text.slice(0, at)));
          at += character.length;
        }
        for (let offset = -1; offset <= length + 1; offset += 1) {
          expect([offset, toUnits(offset)]).toEqual([offset, starts.get(offset) ?? -1]);
        }
      }
    }
  });
});

/** Whether a place begins or ends within a word of a text whose words are letters. */
function cuts(text: string, [start, end]: readonly [number, number]): boolean {
  const isLetter = (at: number) => /[a-zé]/.test(text[at] ?? '');
  return [start, end].some(at => isLetter(at - 1) && isLetter(at));
}

describe('placeSpans', () => {
  it('takes the unit of the format unless it cuts words, and one other alone gives whole words', () => {
    const random = new Random(6);
    const [units, outcomes] = [offsetUnits, { own: 0, other: 0, several: 0 }];
    for (let i = 0; i < 3000; i += 1) {
      const drawn = () => ['a', 'b', ' ', 'é', '😀'][random.below(5)]!;
      const text = Array.from({ length: 4 + random.below(8) }, drawn).join('');
      const own = units[random.below(3)]!;
      const start = random.below(text.length);
      const end = start + 1 + random.below(4);
      const placeIn = (unit: OffsetUnit) => {
        const ends = [...text, ''].map((_, n) => [...text].slice(0, n).join(''));
        const [from, to] = [start, end].map(
          offset => ends.find(before => lengths[unit](before) === offset)?.length,
        );
        return from === undefined || to === undefined ? undefined : ([from, to] as const);
      };
      const place = placeIn(own);
      const isBlank = (at: readonly [number, number]) => text.slice(...at).trim() === '';
      const find = () => placeSpans(text, [{ at: 'a', start, end, label: 'X' }], { own }).spans[0];
      const others = units.flatMap(unit => {
        const at = unit === own ? undefined : placeIn(unit);
        if (at === undefined) return [];
        const piece = text.slice(...at);
        const isWhole = piece === piece.trim() && /[a-zé]/.test(piece) && !cuts(text, at);
        return isWhole ? [at] : [];
      });
      const isFine = place !== undefined && !isBlank(place) && !cuts(text, place);
      const different = new Set(others.map(String));
      const expected = isFine || different.size !== 1 ? place : others[0];
      if (isFine) outcomes.own += 1;
      else if (different.size === 1) outcomes.other += 1;
      else outcomes.several += different.size > 1 ? 1 : 0;
      const what = JSON.stringify({ text, own, start, end });
      if (expected === undefined) expect(find, what).toThrow('a');
      else expect(find(), what).toEqual({ start: expected[0], end: expected[1], label: 'X' });
    }
    expect(Math.min(outcomes.own, outcomes.other)).toBeGreaterThan(100);
    expect(outcomes.several).toBeGreaterThan(0);
  });
});
