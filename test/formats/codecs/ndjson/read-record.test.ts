import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { readRecord } from '../../../../src/formats/codecs/ndjson/read-record.js';
import { bytesOf, content, readAll } from '../../../runtime/io/sources/read-all.js';

function problem(json: string, tag?: string): [code: string, problem: string] {
  try {
    readRecord(json, tag === undefined ? undefined : { tag });
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return [thrown.code, thrown.problem];
    throw thrown;
  }
  throw new Error(`${json} was accepted`);
}

describe('readRecord', () => {
  it('reads a raw record', () => {
    expect(readRecord('{"id":"7","text":"a b","other":[1]}')).toEqual({ id: '7', text: 'a b' });
  });

  it('reads a pre-tokenized record with all its fields', () => {
    const record = {
      text: 'a b',
      tokens: ['a', 'b'],
      offsets: [
        [0, 1],
        [2, 3],
      ],
      sentences: [
        [0, 1],
        [1, 2],
      ],
      columns: { pos: ['N', 'V'], weight: [1, -0.5] },
      tags: ['X', 'Y'],
    };
    expect(readRecord(JSON.stringify({ ...record, other: 'anything' }))).toEqual(record);
  });

  it.each([
    ['"a b"', 'a b'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.0', '1.0'],
    ['-0', '-0'],
    ['1e400', '1e400'],
    ['true', 'true'],
    ['{ "a": [1.0, "\\u0041"]}', '{ "a": [1.0, "\\u0041"]}'],
    ['[ ]', '[ ]'],
  ])('keeps the id %s as written', (written, id) => {
    expect(readRecord(`{"x":{"id":1},"id": ${written} ,"text":"t"}`).id).toBe(id);
  });

  it('treats null fields as absent', () => {
    const json =
      '{"id":null,"text":"t","tokens":null,"tags":null,"columns":null,"offsets":null,"sentences":null}';
    expect(readRecord(json)).toEqual({ text: 't' });
  });

  it('takes the last of duplicate fields', () => {
    expect(readRecord('{"id":1,"text":"a","id":2.0,"text":"b"}')).toEqual({ id: '2.0', text: 'b' });
  });

  it('prefers gold to tags: the record was tagged before', () => {
    expect(readRecord('{"tokens":["a"],"tags":["P"],"gold":["G"]}').tags).toEqual(['G']);
  });

  it('reads gold tags from a column, and the tags as a column', () => {
    const json = '{"tokens":["a"],"tags":["T"],"columns":{"upos":["N"],"x":["y"]}}';
    expect(readRecord(json, { tag: 'upos' })).toEqual({
      tokens: ['a'],
      tags: ['N'],
      columns: { x: ['y'], tags: ['T'] },
    });
  });

  it('leaves a record unlabelled that lacks the tag column', () => {
    expect(readRecord('{"tokens":["a"]}', { tag: 'upos' })).toEqual({ tokens: ['a'] });
  });

  it('is not deceived by __proto__', () => {
    const json =
      '{"__proto__":{"tags":["X"],"id":"p"},"tokens":["a"],"columns":{"__proto__":["c"]}}';
    const document = readRecord(json);
    expect(document.tags).toBeUndefined();
    expect(document.id).toBeUndefined();
    expect(Object.getOwnPropertyDescriptor(document.columns, '__proto__')!.value).toEqual(['c']);
    expect(({} as Record<string, unknown>).tags).toBeUndefined();
    expect(Object.keys(document.columns!)).toEqual(['__proto__']);
  });

  it.each([
    ['{"text":', 'not-json'],
    ['{"text":"a"} x', 'not-json'],
    ['', 'not-json'],
    ['null', 'not-an-object'],
    ['[1]', 'not-an-object'],
    ['"text"', 'not-an-object'],
    ['1', 'not-an-object'],
    ['{}', 'wrong-shape'],
    ['{"text":1}', 'wrong-shape'],
    ['{"tokens":"a"}', 'wrong-shape'],
    ['{"tokens":["a",1]}', 'wrong-shape'],
    ['{"text":"a","tags":["X"]}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":"X"}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":[7]}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":[[]]}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":[["X",null]]}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":[{"X":1}]}', 'wrong-shape'],
    ['{"tokens":["a"],"gold":[true]}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":[null,null]}', 'length-mismatch'],
    ['{"tokens":["a"],"columns":[["X"]]}', 'wrong-shape'],
    ['{"tokens":["a"],"columns":{"x":"X"}}', 'wrong-shape'],
    ['{"tokens":["a"],"columns":{"x":[null]}}', 'wrong-shape'],
    ['{"tokens":["a"],"offsets":[[0,1]]}', 'wrong-shape'],
    ['{"text":"a","tokens":["a"],"offsets":[[0,2]]}', 'wrong-shape'],
    ['{"text":"ab","tokens":["a","b"],"offsets":[[0,2],[1,2]]}', 'wrong-shape'],
    ['{"text":"a","tokens":["a"],"offsets":[[0.5,1]]}', 'wrong-shape'],
    ['{"text":"a","tokens":["a"],"offsets":[[0]]}', 'wrong-shape'],
    ['{"tokens":["a","b"],"sentences":[[0,1]]}', 'wrong-shape'],
    ['{"tokens":["a","b"],"sentences":[[1,2]]}', 'wrong-shape'],
    ['{"tokens":["a","b"],"sentences":[[0,0],[0,2]]}', 'wrong-shape'],
    ['{"tokens":["a","b"],"sentences":[[0,3]]}', 'wrong-shape'],
    ['{"tokens":["a"],"tags":[]}', 'length-mismatch'],
    ['{"tokens":["a"],"columns":{"x":["1","2"]}}', 'length-mismatch'],
    ['{"text":"a","tokens":["a"],"offsets":[]}', 'length-mismatch'],
    ['{"tokens":[],"tags":["X"]}', 'length-mismatch'],
    ['{"text":null,"tokens":null}', 'wrong-shape'],
    ['{"tokens":["a","b"],"columns":{"x":[1,"2"]}}', 'not-a-number'],
    ['{"tokens":["a","b"],"columns":{"x":["1",2]}}', 'not-a-number'],
    ['{"tokens":["a"],"columns":{"x":[1e400]}}', 'not-a-number'],
  ])('refuses %s as %s', (json, code) => {
    expect(problem(json)[0]).toBe(code);
  });

  it.each([
    ['["B-PER",null,["O","I-PER"]]', { partialTags: ['B-PER', null, ['O', 'I-PER']] }],
    ['["A",["B"],"C"]', { tags: ['A', 'B', 'C'] }],
    ['["A",["B"],null]', { partialTags: ['A', 'B', null] }],
    ['[null,null,null]', {}],
  ])('reads tags %s', (tags, expected) => {
    const tokens = ['a', 'b', 'c'];
    expect(readRecord(`{"tokens":["a","b","c"],"tags":${tags}}`)).toEqual({ tokens, ...expected });
    expect(readRecord(`{"tokens":["a","b","c"],"tags":["X"],"gold":${tags}}`)).toEqual({
      ...{ tokens, ...expected },
    });
    const column = `{"tokens":["a","b","c"],"columns":{"pos":${tags}}}`;
    expect(readRecord(column, { tag: 'pos' })).toEqual({ tokens, ...expected });
  });

  it('reads the weight of labelled records, NaN where it is not a number', () => {
    const weightOf = (more: string) => readRecord(`{"tokens":["a"],${more}}`).weight;
    expect(weightOf('"tags":["X"],"weight":2.5')).toBe(2.5);
    expect(weightOf('"tags":[["X","Y"]],"weight":0')).toBe(0);
    expect(weightOf('"tags":["X"],"weight":"heavy"')).toBeNaN();
    expect(weightOf('"tags":["X"],"weight":null')).toBeUndefined();
    expect(weightOf('"tags":[null],"weight":{"kg":70}')).toBeUndefined();
    expect(weightOf('"weight":"heavy"')).toBeUndefined();
    expect(readRecord('{"text":"a","weight":[]}')).toEqual({ text: 'a' });
  });

  it('says what is wrong', () => {
    expect(problem('{"tokens":["a","b"],"tags":["X"]}')[1]).toBe('2 tokens but 1 tag');
    expect(problem('{"tokens":["a",7]}')[1]).toBe('tokens[1] is 7');
    expect(problem('{"text":"a","tokens":["a"],"offsets":[[1,0]]}')[1]).toBe('offsets[0] is [1,0]');
    expect(problem('{"tokens":["a","b"],"columns":{"w":[1,"x"]}}')[1]).toBe(
      'columns.w[1] is not a finite number',
    );
    expect(problem('{"tokens":["a"],"columns":{"w":[1]}}', 'w')[1]).toBe(
      'columns.w[0] is 1, but the source does not say what numbers mean',
    );
  });

  it('does not fail on a wrong value of any depth', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(problem(`{"text":${deep}}`)).toEqual(['wrong-shape', 'text is an array of 1']);
  });
});

describe('ndjsonCodec', () => {
  it('reports bad lines with their positions, counts blank ones, and continues', async () => {
    const text = '{"text":"a"}\n\n{"text":\n \t\r\nnull\n{"text":"b"}';
    const { documents, bad, blanks } = await readAll(ndjsonCodec(), text);
    expect(documents.map(document => document.text)).toEqual(['a', 'b']);
    expect(documents.map(document => document.delivery!.position)).toEqual([
      { source: 'test', line: 1, start: 0, end: 12 },
      { source: 'test', line: 6, start: 32, end: 44 },
    ]);
    expect(blanks).toBe(2);
    expect(
      bad.map(({ position, error }) => [position.line, position.start, position.end, error.code]),
    ).toEqual([
      [3, 14, 22, 'not-json'],
      [5, 27, 31, 'not-an-object'],
    ]);
    expect(bad[0]!.error.place).toEqual({ source: 'test', line: 3 });
    expect(bad[0]!.raw).toEqual(Buffer.from('{"text":'));
  });

  it('refuses a line that is longer than allowed', async () => {
    const text = `{"text":"${'x'.repeat(100)}"}\n{"text":"b"}\n`;
    const { documents, bad } = await readAll(ndjsonCodec({ maxLineBytes: 50 }), text);
    expect(documents.map(content)).toEqual([{ text: 'b' }]);
    expect(bad[0]!.error.code).toBe('too-long');
    expect(bad[0]!.raw).toEqual(bytesOf(text.split('\n')[0]!));
  });

  it('writes the shortest form with the id as written', async () => {
    const codec = ndjsonCodec();
    const { documents } = await readAll(
      codec,
      '{"x":1,"id":1.0,"text":"a"}\n{"id":"\\u0041","text":"a"}\n{"text":"a"}\n{"id": {"a": [1.0]} ,"text":"a"}',
    );
    const lines = documents.map(document =>
      codec.write({ document, tokens: ['a'], tags: ['X'] }, { output: 'tags' }),
    );
    expect(lines).toEqual([
      '{"id":1.0,"tags":["X"]}\n',
      '{"id":"\\u0041","tags":["X"]}\n',
      '{"tags":["X"]}\n',
      '{"id":{"a": [1.0]},"tags":["X"]}\n',
    ]);
    const record = codec.write({ document: documents[3]!, tokens: ['a'], tags: ['X'] });
    expect(record).toBe('{"id": {"a": [1.0]} ,"text":"a","tokens":["a"],"tags":["X"]}\n');
  });

  it('writes a record of its own for a document from elsewhere', () => {
    const document = {
      id: '1',
      text: 'a b',
      columns: { pos: ['N', 'V'] },
      raw: 'a N\nb V',
      format: 'conll',
    };
    const line = ndjsonCodec().write({
      document,
      tokens: ['a', 'b'],
      tags: ['X', 'Y'],
      gold: ['X', 'X'],
    });
    expect(line).toBe(
      '{"id":"1","text":"a b","columns":{"pos":["N","V"]},"tokens":["a","b"],"tags":["X","Y"],"gold":["X","X"]}\n',
    );
    expect(ndjsonCodec().write({ document: {}, tokens: ['a'], tags: ['X'] })).toBe(
      '{"tokens":["a"],"tags":["X"]}\n',
    );
  });

  it('writes results with gold from a column', async () => {
    const codec = ndjsonCodec({ tag: 'upos' });
    const raw = '{"tokens":["a"],"tags":["T"],"columns":{"upos":["N"]},"n":1.0}';
    const [document] = (await readAll(codec, raw)).documents;
    expect(codec.write({ document: document!, tokens: ['a'], tags: ['V'], gold: ['N'] })).toBe(
      '{"tokens":["a"],"columns":{"upos":["N"]},"n":1.0,"tags":["V"],"gold":["N"]}\n',
    );
  });

  it('puts tags back into their column', () => {
    const codec = ndjsonCodec({ tag: 'upos' });
    const document = { tokens: ['a'], tags: ['N'], columns: { tags: ['T'], x: ['y'] } };
    expect(codec.writeDocument(document)).toBe(
      '{"tokens":["a"],"columns":{"x":["y"],"upos":["N"]},"tags":["T"]}\n',
    );
  });

  it('refuses unknown options by name', () => {
    expect(() => ndjsonCodec({ tags: 'x' } as object)).toThrowError(
      'ndjson.tags: unknown key "tags"',
    );
  });

  it('names the document by any value of that field', () => {
    expect(readRecord('{"tokens":["a"],"document":"d"}').documentId).toBe('d');
    expect(readRecord('{"tokens":["a"],"document":[7]}').documentId).toBe('[7]');
    expect(readRecord('{"tokens":["a"],"document":null}')).not.toHaveProperty('documentId');
  });
});
