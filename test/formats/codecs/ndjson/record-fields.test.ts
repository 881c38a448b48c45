import { describe, expect, it } from 'vitest';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { foreignCodec } from '../../../../src/formats/codecs/foreign/foreign-codec.js';
import { spansFormat } from '../../../../src/formats/codecs/foreign/foreign-formats.js';
import {
  jsonDocumentLines,
  jsonLayoutOf,
  jsonLines,
} from '../../../../src/formats/codecs/ndjson/json-document-lines.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

const labels = ['O', 'B-PER', 'I-PER', 'B-ORG'];
const fields = { tokens: 'words', tag: 'ner_tags', labels };

async function read(options: Parameters<typeof ndjsonCodec>[0], ...lines: readonly string[]) {
  return readAll(ndjsonCodec(options), lines.map(line => `${line}\n`).join(''));
}

describe('tokens and numbered tags of NDJSON in members of other names', () => {
  const raw = '{"id": "0", "words": ["EU", "Ann"], "ner_tags": [3, 1], "pos": [1, 2], "n": 1.0}';

  it('reads them by name', async () => {
    const { documents, bad } = await read(fields, raw);
    expect(bad).toEqual([]);
    expect(content(documents[0]!)).toMatchObject({
      tokens: ['EU', 'Ann'],
      tags: ['B-ORG', 'B-PER'],
    });
  });

  it.each([
    [{ labels }, '{"tokens":["a"],"tags":[1]}', ['B-PER']],
    [{ labels }, '{"tokens":["a"],"tags":["B-PER"]}', ['B-PER']],
    [{ labels }, '{"tokens":["a"],"gold":[1],"tags":[0]}', ['B-PER']],
    [{ tag: 'ner', labels }, '{"tokens":["a"],"columns":{"ner":[1]}}', ['B-PER']],
    [{ tag: 'ner', labels }, '{"tokens":["a"],"columns":{"ner":[1]},"ner":[0]}', ['B-PER']],
    [{ tag: 'ner' }, '{"tokens":["a"],"ner":["B-PER"]}', ['B-PER']],
    [{ tokens: 'words' }, '{"words":["a"],"tokens":7,"tags":["X"]}', ['X']],
    [{ tokens: 'words' }, '{"tokens":["a"],"tags":["X"]}', ['X']],
    [{ tokens: 'text' }, '{"text":["a"],"tags":["X"]}', ['X']],
    [fields, '{"words":["a"],"ner_tags":"of another meaning"}', undefined],
  ])('with %j reads %s', async (options, line, tags) => {
    const { documents, bad } = await read(options, line);
    expect(bad).toEqual([]);
    expect(documents[0]!.tokens).toEqual(['a']);
    expect(documents[0]!.tags).toEqual(tags);
  });

  it('knows tags in part', async () => {
    const { documents } = await read({ labels }, '{"tokens":["a","b","c"],"tags":[null,[0,1],2]}');
    expect(documents[0]!.partialTags).toEqual([null, ['O', 'B-PER'], 'I-PER']);
  });

  it.each([
    [fields, '{"words":["a"],"ner_tags":[4]}', 'ner_tags[0] is 4, but labels only names 0 to 3'],
    [fields, '{"words":["a"],"ner_tags":[-100]}', 'ner_tags[0] is -100, but labels only names'],
    [fields, '{"words":["a","b"],"ner_tags":[0]}', '2 tokens but 1 ner_tags'],
    [fields, '{"words":["a",7],"ner_tags":[0,0]}', 'words[1] is 7'],
    [fields, '{"forms":["a"]}', 'the record has neither text nor words'],
    [
      {},
      '{"tokens":["a"],"tags":[3]}',
      'tags[0] is 3, but the source does not say what numbers mean (list the labels',
    ],
    [
      { tag: 'ner' },
      '{"tokens":["a"],"ner":[3]}',
      'ner[0] is 3, but the source does not say what numbers mean',
    ],
  ])('with %j rejects %s', async (options, line, problem) => {
    const { documents, bad } = await read(options, line);
    expect(documents).toEqual([]);
    expect(bad[0]!.error.message).toContain(problem);
  });

  it('writes results as names, and keeps the record byte for byte', async () => {
    const codec = ndjsonCodec(fields);
    const [document] = (await readAll(codec, `${raw}\n`)).documents;
    const tagged = {
      document: document!,
      tokens: ['EU', 'Ann'],
      tags: ['O', 'B-PER'],
      gold: document!.tags!,
    };
    expect(codec.write(tagged)).toBe(
      `${raw.slice(0, -1)},"tags":["O","B-PER"],"gold":["B-ORG","B-PER"]}\n`,
    );
    // What was written is read with the same options.
    const again = await readAll(codec, codec.write(tagged));
    expect(again.documents[0]!.tags).toEqual(['B-ORG', 'B-PER']);
  });

  it('writes gold names where the numbers were in tags', async () => {
    const codec = ndjsonCodec({ labels });
    const [document] = (await readAll(codec, '{"tokens":["a"],"tags":[1],"n":1.0}\n')).documents;
    const tagged = { document: document!, tokens: ['a'], tags: ['O'], gold: document!.tags! };
    expect(codec.write(tagged)).toBe('{"tokens":["a"],"n":1.0,"tags":["O"],"gold":["B-PER"]}\n');
  });

  it('converts into every kind of format', async () => {
    const [document] = (await read(fields, raw)).documents;
    const dropped: string[] = [];
    const note = (name: string) => dropped.push(name);
    expect(ndjsonCodec().writeDocument(document!, undefined, note)).toBe(
      '{"id": "0", "tokens": ["EU", "Ann"], "ner_tags": [3, 1], "pos": [1, 2], "n": 1.0,"tags":["B-ORG","B-PER"]}\n',
    );
    expect(foreignCodec(spansFormat).writeDocument(document!, undefined, note)).toBe(
      '{"id": "0", "ner_tags": [3, 1], "pos": [1, 2], "n": 1.0,"text":"EU Ann","spans":[{"start":0,"end":2,"label":"ORG"},{"start":3,"end":6,"label":"PER"}]}\n',
    );
    expect(dropped).toEqual([]);
    const conll = conllCodec({ columns: ['form', 'tag'] });
    expect(conll.writeDocument(document!, undefined, note)).toBe('EU B-ORG\nAnn B-PER\n\n');
    expect(ndjsonCodec(fields).unread!(document!)).toEqual(['pos', 'n']);
  });

  it('names what a standard record has no place for', async () => {
    const [document] = (await read(fields, '{"words":["a"],"tokens":1,"ner_tags":[1]}')).documents;
    const dropped: string[] = [];
    ndjsonCodec().writeDocument(document!, undefined, name => dropped.push(name));
    expect(dropped).toEqual(['tokens']);
  });

  it('writes other documents with the same fields, and reads them again', async () => {
    const codec = ndjsonCodec(fields);
    const text = codec.writeDocument({ id: '1', tokens: ['a'], tags: ['B-PER'] });
    expect(text).toBe('{"id":"1","words":["a"],"columns":{"ner_tags":["B-PER"]}}\n');
    const { documents } = await readAll(codec, text);
    expect(documents[0]).toMatchObject({ tokens: ['a'], tags: ['B-PER'] });
  });
});

describe('records in one JSON object', () => {
  const rows = [
    { tokens: ['a', 'b'], ner_tags: [0, 1] },
    { tokens: ['c'], ner_tags: [2] },
  ];
  const lists = {
    tokens: rows.map(({ tokens }) => tokens),
    ner_tags: rows.map(row => row.ner_tags),
  };
  const numbered = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, Object.fromEntries(list.entries())]),
  );
  const viewer = {
    features: [{ feature_idx: 0, name: 'tokens' }],
    rows: rows.map((row, row_idx) => ({ row_idx, row, truncated_cells: [] })),
  };

  it.each([
    ['rows of a page of a data set', viewer, 'rows'],
    ['rows alone', { rows }, 'rows'],
    ['lists', lists, 'columns'],
    ['lists that pandas numbers', numbered, 'columns'],
    ['one record', rows[0], undefined],
    ['a record with lists of lists', { text: 'a', label: [[0, 1, 'X']] }, undefined],
    [
      'a record with constraints',
      { tokens: ['Anna'], tags: ['X'], constraints: { 0: ['X'] } },
      undefined,
    ],
    ['a record of sentences', { doc_key: 'a', sentences: [['a']], ner: [[]] }, undefined],
  ] as const)('finds them: %s', (_, value, layout) => {
    for (const indent of [0, 2])
      expect(jsonLayoutOf(JSON.stringify(value, null, indent))).toBe(layout);
  });

  it('takes a record whose end is not there yet for a record', () => {
    const cut = '{"tokens": ["Anna", "sings"], "constraints": {"0": ["B-PER"]}, "tags": ["B-';
    expect(jsonLayoutOf(cut)).toBe(undefined);
    expect(jsonLayoutOf('{"id": ["a"], "tokens": [["Anna", "sings"], ["B')).toBe('columns');
  });

  it.each([
    ['rows', viewer],
    ['rows', { rows }],
    ['columns', lists],
    ['columns', numbered],
  ] as const)('reads %s in pieces of any length', async (records, value) => {
    const text = `\ufeff${JSON.stringify(value, null, 2)}\n`;
    const codec = ndjsonCodec({ records, tag: 'ner_tags', labels: ['O', 'B-X', 'I-X'] });
    for (const size of [1, 7, text.length]) {
      const maker = codec.intoLines!.begin();
      const bytes = Buffer.from(text);
      const parts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size)
        parts.push(maker.lines(bytes.subarray(at, at + size)));
      parts.push(maker.end().rest);
      const { documents } = await readAll(codec, [Buffer.concat(parts)]);
      expect(documents.map(({ tags }) => tags)).toEqual([['O', 'B-X'], ['I-X']]);
    }
  });

  it('knows them by their first bytes without an option', () => {
    const needs = (text: string) => jsonLines(undefined).isNeeded(Buffer.from(text));
    expect(needs(JSON.stringify(viewer))).toBe(true);
    expect(needs(JSON.stringify(lists))).toBe(true);
    expect(needs('[{"tokens":["a"]}]')).toBe(true);
    expect(needs('{"tokens":["a"]}\n')).toBe(false);
    expect(needs('{"label":[["a","b"]],"text":"c"}\n')).toBe(false);
    expect(needs('{"features":[1,2],"tokens":["a"]}\n')).toBe(false);
  });

  it('keeps what values are byte for byte', () => {
    expect(jsonDocumentLines('{"a": [1.0, "\\u0041"], "b": [{"c":\n2}, 1e400]}', 'columns')).toBe(
      '{"a":1.0,"b":{"c": 2}}\n{"a":"\\u0041","b":1e400}\n',
    );
  });

  it.each([
    ['{"a": [1], "b": [1, 2]}', 'columns', 'the column "b" has 2 items, but "a" has 1'],
    ['{"a": 1}', 'columns', 'the JSON object of the file has no columns'],
    ['{"a": []}', 'rows', 'the JSON object of the file has no rows'],
    ['{"rows": [', 'rows', 'not valid JSON'],
    ['[]', 'rows', 'the file is not a JSON object'],
  ] as const)('says what is wrong with %s as %s', (text, layout, problem) => {
    expect(() => jsonDocumentLines(text, layout)).toThrow(problem);
  });
});
