import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { divided } from '../../../../src/engine/operators/divided.js';
import { regexTokenizer } from '../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { readRecord } from '../../../../src/formats/codecs/ndjson/read-record.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

const text = "Ann doesn't go au lit.";
// `au` is `à` and `le`, which have its place.
const tokens = ['Ann', 'does', "n't", 'go', 'à', 'le', 'lit', '.'];
const offsets = [
  [0, 3],
  [4, 8],
  [8, 11],
  [12, 14],
  [15, 17],
  [15, 17],
  [18, 21],
  [21, 22],
] as const;
const multiword = [
  [1, 3],
  [4, 6],
] as const;
const tags = tokens.map(() => 'X');
const words = [
  { start: 1, end: 3, offsets: [4, 11], text: "doesn't" },
  { start: 4, end: 6, offsets: [15, 17], text: 'au' },
];
const raw = JSON.stringify({ id: 1, text });
const tagged = (json: string) => ({
  document: { ...readRecord(json), raw: json, format: 'ndjson {}' },
  ...{ tokens, offsets, multiword, tags },
});

describe('multiword tokens in NDJSON', () => {
  const codec = ndjsonCodec();
  const written = codec.write(tagged(raw));

  it('are written as words with their token, and read back', () => {
    expect(JSON.parse(written)).toMatchObject({ tokens, offsets, words });
    const document = readRecord(written);
    expect(document).toMatchObject({ tokens, multiword });
    const options = {
      tokenizer: regexTokenizer(),
      split: true,
      locale: undefined,
      abbreviations: undefined,
    };
    expect(divided(document, options).multiword).toEqual(multiword);
  });

  it('stay when the record is tagged once more', () => {
    expect(JSON.parse(codec.write(tagged(written))).words).toEqual(words);
  });

  it('give their rows in CoNLL-U, where the space after them is said once', () => {
    const rows = conlluCodec().writeDocument!(
      readRecord(written) as Document,
      undefined,
      undefined,
    );
    const shown = rows
      .split('\n')
      .filter(row => /^\d/.test(row))
      .map(row => row.split('\t'))
      .map(cells => [cells[0], cells[1], cells[9]].join(' '));
    expect(shown).toEqual([
      '1 Ann _',
      "2-3 doesn't _",
      '2 does _',
      "3 n't _",
      '4 go _',
      '5-6 au _',
      '5 à _',
      '6 le _',
      '7 lit SpaceAfter=No',
      '8 . _',
    ]);
  });

  it('are named where a format does not hold them', () => {
    const dropped: string[] = [];
    const document = readRecord(written) as Document;
    conllCodec({ columns: ['form', 'tag'] }).writeDocument!(document, undefined, name =>
      dropped.push(name),
    );
    expect(dropped).toContain('words');
  });

  it.each([
    ['of another shape', ['a', 'b']],
    ['empty', []],
    ['beyond the tokens', [{ start: 7, end: 9 }]],
    [
      'not in order',
      [
        { start: 4, end: 6 },
        { start: 1, end: 3 },
      ],
    ],
    ['without tokens', [{ start: 1, end: 1 }]],
    ['an object', { start: 1, end: 2 }],
  ])("are somebody else's field where they are %s, which stays", (_, own) => {
    const json = JSON.stringify({ id: 1, text, tokens, words: own });
    expect(readRecord(json)).not.toHaveProperty('multiword');
    const { words: left } = JSON.parse(codec.write(tagged(json)));
    expect(left).toEqual(own);
  });
});

describe('ranges of CoNLL-U', () => {
  const row = (id: string, form: string, misc = '_') =>
    [id, form, ...Array(7).fill('_'), misc].join('\t');
  const read = async (lines: string) => {
    const { documents } = await readAll(conlluCodec(), `${lines}\n\n`);
    return documents[0]!;
  };
  const there = [
    '# sent_id = a',
    "# text = Ann doesn't go  au lit au.",
    row('1', 'Ann'),
    row('2-3', "doesn't", 'Gloss=x'),
    row('2', 'does', 'a=b'),
    row('3', "n't"),
    row('4', 'go', 'SpacesAfter=\\s\\s'),
    row('5-6', 'au'),
    row('5', 'à'),
    row('6', 'le'),
    row('7', 'lit'),
    row('8-9', 'au', 'SpaceAfter=No'),
    row('8', 'à'),
    row('9', 'le'),
    row('10', '.', 'SpaceAfter=No'),
  ].join('\n');

  it('come back from NDJSON, with their MISC', async () => {
    const document = await read(there);
    expect(document.multiword).toEqual([
      [1, 3],
      [4, 6],
      [7, 9],
    ]);
    const { raw: _, format: __, ...rest } = document;
    const json = ndjsonCodec().writeDocument!(rest, undefined, undefined);
    expect(JSON.parse(json).words).toEqual([
      { start: 1, end: 3, offsets: [4, 11], text: "doesn't", misc: 'Gloss=x' },
      { start: 4, end: 6, offsets: [16, 18], text: 'au' },
      { start: 7, end: 9, offsets: [23, 25], text: 'au' },
    ]);
    const again = readRecord(json) as Document;
    expect(conlluCodec().writeDocument!(again, undefined, undefined)).toBe(`${there}\n\n`);
    expect(conlluCodec().unread!(document)).toEqual([]);
  });

  it.each([
    ['do not fit the text', there.replace("doesn't go", 'does not go')],
    ['have no text', there.replace(/# text.*\n/, '')],
  ])('are named where they %s', async (_, lines) => {
    const document = await read(lines);
    expect(document.multiword).toBeUndefined();
    expect(document.offsets).toBeUndefined();
    expect(conlluCodec().unread!(document)).toContain('multiword tokens');
  });
});
