import { describe, expect, it } from 'vitest';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { giveId, type IdsFrom } from '../../../../src/formats/codecs/ndjson/ndjson-format.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

function given(raw: string, from: IdsFrom = 'content', start = 0, source = 'a') {
  const draft: { raw: string; id?: string } = { raw };
  giveId(draft, { source, line: 1, start, end: start + raw.length }, from);
  return draft;
}

describe('giveId', () => {
  it('gives the same record the same id, and another record another', () => {
    const { id, raw } = given('{"tokens": ["a"]}');
    // The first 32 digits of what sha256sum says.
    expect(id).toBe('0ac3c01163961c6349fb2599f4ca4ea3');
    expect(raw).toBe(`{"id":"${id}","tokens": ["a"]}`);
    expect(given('{"tokens": ["a"]}', 'content', 70, 'b').id).toBe(id);
    expect(given('{"tokens":  ["a"]}').id).not.toBe(id);
    expect(given(' {"text": "\u{1f600}"}').raw).toMatch(
      /^ \{"id":"[0-9a-f]{32}","text": "\u{1f600}"\}$/u,
    );
  });

  it('distinguishes equal records by their place', () => {
    const at = (start: number, source = 'a') =>
      given('{"tokens":["a"]}', 'position', start, source).id;
    expect(at(10)).toBe(at(10));
    expect(new Set([at(10), at(20), at(10, 'b'), given('{"tokens":["a"]}').id]).size).toBe(4);
  });

  it('takes the place of an id that is null, the last one if there are several', () => {
    const { id, raw } = given('{"id":null,"text":"a","id" : null}');
    expect(raw).toBe(`{"id":null,"text":"a","id" : "${id}"}`);
    expect(JSON.parse(raw)).toEqual({ id, text: 'a' });
  });

  it('leaves the id of a record as it is', () => {
    const draft = { id: '7', raw: '{"id":7,"text":"a"}' };
    giveId(draft, { source: 'a', line: 1, start: 0, end: 19 }, 'content');
    expect(draft).toEqual({ id: '7', raw: '{"id":7,"text":"a"}' });
  });
});

describe('ndjsonCodec with ids', () => {
  const text = '{"tokens":["a"]}\r\n{"id":1.0,"tokens":["a"]}\n{"tokens":["a"]}\n';

  it('gives them to documents, and writes them with the results', async () => {
    const codec = ndjsonCodec({ ids: 'position' });
    const { documents } = await readAll(codec, text);
    const ids = documents.map(({ id }) => id);
    expect(ids[1]).toBe('1.0');
    expect(new Set(ids).size).toBe(3);
    const [first, second] = documents.map(document => ({ document, tokens: ['a'], tags: ['X'] }));
    expect(codec.write(first!)).toBe(`{"id":"${ids[0]}","tokens":["a"],"tags":["X"]}\n`);
    expect(codec.write(second!)).toBe('{"id":1.0,"tokens":["a"],"tags":["X"]}\n');
    expect(codec.write(first!, { output: 'tags' })).toBe(`{"id":"${ids[0]}","tags":["X"]}\n`);
  });

  it('does so by content for any ends of lines and chunks', async () => {
    const codec = ndjsonCodec({ ids: 'content' });
    const { documents } = await readAll(codec, text);
    expect(documents[0]!.id).toBe('3b88a1948c8736069a9baa1004f59dcf');
    expect(documents[2]!.id).toBe(documents[0]!.id);
  });

  it('gives none without the option', async () => {
    const { documents } = await readAll(ndjsonCodec(), text);
    expect(documents.map(({ id }) => id)).toEqual([undefined, '1.0', undefined]);
  });
});
