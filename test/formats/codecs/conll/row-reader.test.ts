import { describe, expect, it } from 'vitest';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { TextInterner } from '../../../../src/engine/features/texts/text-interner.js';
import { conllOptions } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conllLayout } from '../../../../src/formats/codecs/conll/conll-layout.js';
import { RowReader } from '../../../../src/formats/codecs/conll/row-reader.js';
import { LabelledTexts } from '../../../../src/formats/codecs/plain-reader.js';
import { bytesOf } from '../../../runtime/io/sources/read-all.js';

type Options = Parameters<typeof conllOptions.parse>[0];

/** A reader of tokens, a column `pos` and tags, and the texts of tags by their numbers. */
function reader(options: Options = {}, maxLineBytes = 200) {
  const layout = conllLayout(conllOptions.parse(options));
  const { plan } = new FeatureExtractor(parseTemplates('U00:%x[0,0]/%x[0,1]'), ['form', 'pos']);
  const index = new ExactIndex();
  index.takeNew();
  const tags: string[] = [];
  const interner = new TextInterner(plan, index, {
    inJson: false,
    named: (number, text) => {
      tags[number] = text;
    },
  });
  const { texts, columns } = interner;
  const chosen = { layout, columns, maxLineBytes, maxTokens: 2 ** 20 };
  const sentences = new LabelledTexts(texts, new RowReader(texts, { ...chosen, labelled: true }));
  return { sentences, tags, plain: () => new RowReader(texts, chosen) };
}

/** Tags of each sentence of a text, or undefined where it is not plain. */
function read(text: string | Uint8Array, options?: Options) {
  const { sentences, tags } = reader(options);
  const bytes = typeof text === 'string' ? bytesOf(text) : text;
  if (!sentences.read(bytes)) return undefined;
  const numbers = sentences.numbers(2);
  const all = Array.from(numbers, number => tags[number]);
  const { count } = sentences;
  const { firsts } = sentences.sentences;
  const found = Array.from(firsts.subarray(1), (end, s) => all.slice(firsts[s], end));
  return { found, count };
}

describe('RowReader of labelled sentences', () => {
  it.each([
    ['a P X\nb Q Y\n\nc R Z\n', [['X', 'Y'], ['Z']]],
    ['a P X', [['X']]],
    ['', []],
    [' \n\r\n', []],
    ['\n\n  a\t \tP   X  \n \t\n\n\nb Q Y\n\n\n', [['X'], ['Y']]],
    ['É P tag-é\n日本 Q 日本\n', [['tag-é', '日本']]],
    [
      `a P ${'x'.repeat(17)}y\nb Q ${'x'.repeat(17)}z\n`,
      [[`${'x'.repeat(17)}y`, `${'x'.repeat(17)}z`]],
    ],
    ['a P _\nb Q Y\n\n', [['_', 'Y']]],
    ['-DOCSTART- -X- O\n\na P X\n\n-DOCSTART-\nb P Y\n\n-DOCSTART- P X', [['X'], ['Y']]],
    ['a\u0000 \u0001 X\n', [['X']]],
    ['\\n "q" \\u0041\n', [['\\u0041']]],
  ])('reads %j', (text, found) => {
    expect(read(text)).toEqual({ found, count: found.length });
  });

  it('passes over sentences without a tag, and counts them', () => {
    const text = 'a P X\n\nb Q _\nc Q _\n\nd Q _\n \ne R Z\n';
    expect(read(text)).toEqual({ found: [['X'], ['Z']], count: 4 });
    expect(read('b Q _')).toEqual({ found: [], count: 1 });
  });

  it.each([
    ['a P\n'],
    ['a P X\nb\n'],
    ['a P X Y\n'],
    ['a P X\r\n'],
    ['a\rb P X\n'],
    ['a P X\n\r\nb Q Y\n'],
    [`${'a P X\n'.repeat(34)}\n`],
    [`a P X\n${' '.repeat(300)}\n`],
    [`${' '.repeat(300)}\na P X\n`],
    ['\ufeffa P X\n'],
    ['a P X\n\n\ufeffb Q Y\n'],
    ['a P X\n\ufeff\nb Q Y\n'],
    [Uint8Array.of(97, 32, 0xff, 32, 98, 10)],
  ])('leaves %j to others', text => {
    expect(read(text)).toBeUndefined();
  });

  it('reads a byte order mark as part of a token where it does not begin a line', () => {
    expect(read('a\ufeff P \ufeffX\n')).toEqual({ found: [['\ufeffX']], count: 1 });
  });

  it('reads cells between tabs, which may have blanks, and be empty unless they are tokens or tags', () => {
    const options: Options = { separator: 'tab' };
    const found = [['X y', 'Y'], ['Z']];
    const rows = 'a b\tP\tX y\nd\t\tY\n\t \t\nc\t\tZ\n';
    expect(read(rows, options)).toEqual({ found, count: 2 });
    for (const row of ['\tQ\tX', 'a\tQ\t', 'a\tQ\t ']) {
      expect(read(`${rows}${row}\n`, options)).toBeUndefined();
    }
    // The blank row ends a sentence of nothing but `_`, whatever stands in the place of its tag.
    expect(read('a\tP\t_\n\t\t  \n', options)).toEqual({ found: [], count: 1 });
    expect(read('a\tP\tX\t\n', options)).toBeUndefined();
  });

  it('reads the columns where they stand', () => {
    const options: Options = { columns: ['tag', '_', 'pos', 'other', 'form'] };
    const { sentences, tags } = reader(options);
    expect(sentences.read(bytesOf('X 1 P o a\nY 2 P o a\n'))).toBe(true);
    const [form, pos, tag] = [0, 1, 2].map(column => [...sentences.numbers(column)]);
    expect(form![0]).toBe(form![1]);
    expect(pos![0]).toBe(pos![1]);
    expect(tag!.map(number => tags[number])).toEqual(['X', 'Y']);
  });

  it('forgets the texts where there are too many, and reads on', () => {
    const { sentences, tags } = reader({}, 2 ** 20);
    for (let from = 0; from < 90_000; from += 10_000) {
      const rows = Array.from({ length: 10_000 }, (_, i) => `w${from + i} P T${from}\n`);
      expect(sentences.read(bytesOf(rows.join('')))).toBe(true);
      expect(new Set(sentences.numbers(0)).size).toBe(10_000);
      expect(tags[sentences.numbers(2)[0]!]).toBe(`T${from}`);
    }
    const many = Array.from({ length: 40_000 }, (_, i) => `w${i} P T\n\n`);
    expect(sentences.read(bytesOf(many.join('')))).toBe(false);
  });

  it.each([
    [{}, true],
    [{ columns: ['form', 'pos'] }, false],
    [{ columns: ['tag'] }, false],
    [{ comment: '#' }, false],
    [{ unknown: '?' }, false],
    [{ alternatives: '|' }, false],
    [{ columns: ['n', 'form', 'tag'], sentence: 'n' }, false],
  ] satisfies [Options, boolean][])('says whether it can read %j', (options, can) => {
    const layout = conllLayout(conllOptions.parse(options));
    expect(RowReader.canRead(layout, ['form'], { labelled: true })).toBe(can);
  });
});

describe('RowReader of sentences to be tagged', () => {
  it('counts the bytes of the rows of the first sentences, and of the blank lines between', () => {
    const rows = reader().plain();
    const text = '\n\na P X\nbcd Q Y\n\n \n日 R Z\n\nd P X\n';
    rows.open(bytesOf(text));
    expect(rows.read()).toBe('end');
    expect([...rows.starts]).toEqual([0, 2, 3, 4]);
    const between = (from: string, to: string) =>
      bytesOf(text.slice(text.indexOf(from), text.indexOf(to) + to.length)).length;
    const counted = [0, 1, 2, 3].map(sentences => rows.bytesOf(sentences));
    expect(counted).toEqual([
      0,
      between('a P', 'Q Y'),
      between('a P', 'R Z'),
      between('a P', 'd P X'),
    ]);
    rows.backTo(1);
    expect(rows.bytesOf(1)).toBe(counted[1]);
    rows.open(bytesOf('\n'));
    expect([rows.read(), rows.count, rows.bytesOf(0)]).toEqual(['end', 0, 0]);
  });
});
