import { describe, expect, it } from 'vitest';
import type { TaggedDocument } from '../../../../src/engine/core/sentence/tagged-document.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { spliceRecord } from '../../../../src/formats/codecs/ndjson/splice-record.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

const tagged: TaggedDocument = { document: {}, tokens: ['a', 'b'], tags: ['X', 'Y'] };

describe('spliceRecord', () => {
  it.each([
    ['a 20-digit integer', '{"n":12345678901234567890,"tokens":["a","b"]}'],
    ['1.0', '{"n":1.0,"tokens":["a","b"]}'],
    ['1e400', '{"n":1e400,"m":-0,"tokens":["a","b"]}'],
    ['escapes', '{"n":"\\u00e9\\/\\ud800 \\"}","t\\u0061":1,"tokens":["a","b"]}'],
    ['duplicate keys', '{"n":1,"n":2,"tokens":["a","b"],"n":3}'],
    ['__proto__', '{"__proto__":{"tags":["Z"]},"constructor":1,"tokens":["a","b"]}'],
    ['nested members of our names', '{"meta":{"tags":[1],"gold":{"score":[]}},"tokens":["a","b"]}'],
    ['white space', ' { "n" : 1 ,\t"tokens" : [ "a" , "b" ]'],
    ['key order', '{"z":1,"10":2,"tokens":["a","b"],"2":3,"a":4}'],
  ])('keeps %s byte for byte', (_, raw) => {
    const open = raw.endsWith('}') ? raw.slice(0, -1) : raw;
    const rest = raw.endsWith('}') ? '}' : ' } ';
    expect(spliceRecord(open + rest, tagged)).toBe(
      rest === '}' ? `${open},"tags":["X","Y"]}` : `${open},"tags":["X","Y"] } `,
    );
  });

  it('adds all members in the fixed order', () => {
    const full: TaggedDocument = {
      document: { text: 'Ann  Lee. Hi' },
      tokens: ['Ann', 'Lee', '.', 'Hi'],
      offsets: [
        [0, 3],
        [5, 8],
        [8, 9],
        [10, 12],
      ],
      sentences: [
        [0, 3],
        [3, 4],
      ],
      tags: ['B-PER', 'I-PER', 'O', 'O'],
      spans: [{ label: 'PER', start: 0, end: 2 }],
      scores: [1.5, -2],
      marginals: [0.5, 0.25, 1, 1],
    };
    expect(spliceRecord('{"text":"Ann  Lee. Hi"}', full)).toBe(
      '{"text":"Ann  Lee. Hi","tokens":["Ann","Lee",".","Hi"]' +
        ',"offsets":[[0,3],[5,8],[8,9],[10,12]],"sentences":[[0,3],[3,4]]' +
        ',"tags":["B-PER","I-PER","O","O"]' +
        ',"spans":[{"label":"PER","start":0,"end":2,"offsets":[0,8],"text":"Ann  Lee"}]' +
        ',"score":[1.5,-2],"marginals":[0.5,0.25,1,1]}',
    );
  });

  it('gives lists for one sentence and for none', () => {
    const one: TaggedDocument = { ...tagged, sentences: [[0, 2]], scores: [0.5] };
    expect(spliceRecord('{"tokens":["a","b"]}', one)).toBe(
      '{"tokens":["a","b"],"sentences":[[0,2]],"tags":["X","Y"],"score":[0.5]}',
    );
    const none: TaggedDocument = { ...tagged, tokens: [], tags: [], sentences: [], scores: [] };
    expect(spliceRecord('{"x":1}', none)).toBe(
      '{"x":1,"tokens":[],"sentences":[],"tags":[],"score":[]}',
    );
  });

  it('joins the tokens of a span by spaces where there are no offsets', () => {
    const spans = [{ label: 'P', start: 0, end: 2 }];
    expect(spliceRecord('{"tokens":["a","b"]}', { ...tagged, spans })).toBe(
      '{"tokens":["a","b"],"tags":["X","Y"],"spans":[{"label":"P","start":0,"end":2,"text":"a b"}]}',
    );
  });

  it('keeps the own tokens, offsets and sentences of a record', () => {
    const raw =
      '{"text":"a b","offsets":[ [0,1],[2,3] ],"sentences":[[0,1],[1,2]],"tokens":["a", "b"]}';
    const full: TaggedDocument = {
      ...tagged,
      offsets: [
        [0, 1],
        [2, 3],
      ],
      sentences: [
        [0, 1],
        [1, 2],
      ],
    };
    expect(spliceRecord(raw, full)).toBe(`${raw.slice(0, -1)},"tags":["X","Y"]}`);
  });

  it.each([
    [
      'first',
      '{"tags": ["N", "V"] , "tokens":["a","b"]}',
      '{"gold": ["N", "V"] , "tokens":["a","b"]',
    ],
    ['last', '{"tokens":["a","b"],"tags":["N","V"]}', '{"tokens":["a","b"],"gold":["N","V"]'],
    [
      'escaped',
      '{"t\\u0061gs":["N","V"],"tokens":["a","b"]}',
      '{"gold":["N","V"],"tokens":["a","b"]',
    ],
  ])('renames own tags to gold in place: %s', (_, raw, expected) => {
    expect(spliceRecord(raw, tagged)).toBe(`${expected},"tags":["X","Y"]}`);
  });

  it('renames the last of several tags, which is the one that counts, and removes the others', () => {
    const raw = '{"tags":["P","Q"],"tokens":["a","b"],"tags":["N","V"],"x":1}';
    expect(spliceRecord(raw, tagged)).toBe(
      '{"tokens":["a","b"],"gold":["N","V"],"x":1,"tags":["X","Y"]}',
    );
  });

  it('removes stale results with their comma, wherever they stand', () => {
    const raw =
      '{ "score":1, "x":1, "spans":[{"a":[1]}], "marginals":[], "tokens":["a","b"], "nbest":[], "y":2, "score":[2] }';
    expect(spliceRecord(raw, tagged)).toBe('{ "x":1, "tokens":["a","b"], "y":2,"tags":["X","Y"] }');
  });

  it('treats null as absent', () => {
    const raw = '{"tokens":null,"tags":null,"text":"a b","offsets":null,"gold":null}';
    expect(spliceRecord(raw, tagged)).toBe('{"text":"a b","tokens":["a","b"],"tags":["X","Y"]}');
  });

  it('removes tags and gold where gold comes from a column, and writes gold last', () => {
    const raw = '{"tokens":["a","b"],"tags":["1","2"],"columns":{"upos":["N","V"]}}';
    expect(spliceRecord(raw, { ...tagged, gold: ['N', 'V'] }, false)).toBe(
      '{"tokens":["a","b"],"columns":{"upos":["N","V"]},"tags":["X","Y"],"gold":["N","V"]}',
    );
  });
});

describe('fields of users with the names of results', () => {
  const raw = '{"text":"a","score":7,"marginals":"x","nbest":[1]}';
  const tagged = { document: {}, tokens: ['a'], tags: ['N'] };

  it('stay where the run writes none of them', () => {
    expect(spliceRecord(raw, tagged)).toBe(`${raw.slice(0, -1)},"tokens":["a"],"tags":["N"]}`);
  });

  it('are replaced by those that it writes', () => {
    expect(spliceRecord(raw, { ...tagged, scores: [0.5] })).toBe(
      '{"text":"a","marginals":"x","nbest":[1],"tokens":["a"],"tags":["N"],"score":[0.5]}',
    );
  });
});

describe('tagging an already tagged record', () => {
  const codec = ndjsonCodec();
  const tagOnce = async (line: string, tags: readonly string[], scores?: readonly number[]) => {
    const [document] = (await readAll(codec, line)).documents;
    const gold = document!.tags === undefined ? {} : { gold: document!.tags };
    const more = scores === undefined ? {} : { scores };
    return codec.write({ document: document!, tokens: document!.tokens!, tags, ...gold, ...more });
  };

  it('replaces the earlier results and keeps the gold tags', async () => {
    const once = await tagOnce('{"tokens":["a","b"],"tags":["N","V"],"x":1.0}\n', ['X', 'X'], [3]);
    expect(once).toBe(
      '{"tokens":["a","b"],"gold":["N","V"],"x":1.0,"tags":["X","X"],"score":[3]}\n',
    );
    const twice = await tagOnce(once, ['Y', 'Y']);
    expect(twice).toBe('{"tokens":["a","b"],"gold":["N","V"],"x":1.0,"tags":["Y","Y"]}\n');
    expect(await tagOnce(twice, ['Y', 'Y'])).toBe(twice);
  });
});
