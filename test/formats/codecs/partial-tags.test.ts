import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import { conllCodec } from '../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../src/formats/codecs/conllu/conllu-codec.js';
import { lettersCodec } from '../../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { content, readAll } from '../../runtime/io/sources/read-all.js';

const columns = ['form', 'tag'];
const document: Document = {
  id: '1',
  tokens: ['a', 'b', 'c'],
  partialTags: ['X', null, ['X', 'Y']],
  weight: 2,
};

function row(id: number, form: string, tag: string, feats = '_'): string {
  return [id, form, '_', tag, '_', feats, '_', '_', '_', '_'].join('\t');
}

describe('tags that are known in part', () => {
  it('stand in CoNLL as its options say, and come back', async () => {
    const codec = conllCodec({ columns, unknown: '?', alternatives: '|' });
    const text = codec.writeDocument(document);
    expect(text).toBe('a X\nb ?\nc X|Y\n\n');
    const { documents } = await readAll(codec, text);
    expect(documents.map(content)).toEqual([
      { tokens: ['a', 'b', 'c'], partialTags: document.partialTags },
    ]);
  });

  it('are plain tags in CoNLL by default', async () => {
    const { documents } = await readAll(conllCodec({ columns }), 'a ?\nb X|Y\nc _\n\n');
    expect(content(documents[0]!)).toEqual({ tokens: ['a', 'b', 'c'], tags: ['?', 'X|Y', '_'] });
  });

  it('are none in CoNLL where all of them are unknown', async () => {
    const codec = conllCodec({ columns, unknown: '?', tagOptional: true });
    const { documents, bad } = await readAll(codec, 'a ?\nb ?\n\na\nb\n\na X\nb\n\n| |\n\n');
    expect(bad).toEqual([]);
    expect(documents.map(({ tags, partialTags }) => tags ?? partialTags)).toEqual([
      undefined,
      undefined,
      ['X', null],
      ['|'],
    ]);
  });

  it('with an empty alternative are an error of their record', async () => {
    const codec = conllCodec({ columns, alternatives: '|' });
    const { documents, bad } = await readAll(codec, 'a X|\n\na |\n\na X||Y\n\na X|Y\n\n');
    expect(documents.map(({ tags, partialTags }) => tags ?? partialTags)).toEqual([
      ['|'],
      [['X', 'Y']],
    ]);
    expect(bad.map(({ error }) => error.code)).toEqual(['wrong-shape', 'wrong-shape']);
  });

  it('are `_` in the column upos of CoNLL-U, and in others what its options say', async () => {
    const rows = `${row(1, 'a', 'X', 'A=1')}\n${row(2, 'b', '_')}\n\n`;
    const tagsOf = async (options: Parameters<typeof conlluCodec>[0]) => {
      const { documents } = await readAll(conlluCodec(options), rows);
      return documents[0]!.tags ?? documents[0]!.partialTags;
    };
    expect(await tagsOf({})).toEqual(['X', null]);
    expect(await tagsOf({ tag: 'feats' })).toEqual(['A=1', '_']);
    expect(await tagsOf({ tag: 'feats', unknown: '_' })).toEqual(['A=1', null]);
    expect(await tagsOf({ unknown: 'X' })).toEqual([null, '_']);
  });

  it('come through CoNLL-U with their weight', async () => {
    const codec = conlluCodec({ alternatives: '|' });
    const text = codec.writeDocument(document);
    // Alternatives are no universal parts of speech.
    expect(text.split('\n').slice(0, 4)).toEqual([
      '# sent_id = 1',
      '# weight = 2',
      '# tags = xpos',
      '1\ta\t_\t_\tX\t_\t_\t_\t_\t_',
    ]);
    const { documents } = await readAll(codec, text);
    expect(documents[0]).toMatchObject({ partialTags: document.partialTags, weight: 2 });
  });

  it('have a weight in CoNLL-U only where something is known', async () => {
    const read = async (comment: string, tag: string) => {
      const { documents, bad } = await readAll(
        conlluCodec(),
        `${comment}\n${row(1, 'a', tag)}\n\n`,
      );
      expect(bad).toEqual([]);
      return documents[0]!.weight;
    };
    expect(await read('# weight = 0.5', 'X')).toBe(0.5);
    expect(await read('# weight = heavy', 'X')).toBeNaN();
    expect(await read('# weight = heavy', '_')).toBeUndefined();
    expect(await read('# weighty = 3', 'X')).toBeUndefined();
  });

  it('are refused by formats that have no text for them', () => {
    const set: Document = { tokens: ['a'], partialTags: [['X', 'Y']] };
    const none: Document = { tokens: ['a', 'b'], partialTags: ['X', null] };
    const refused = expect.objectContaining({ code: 'wrong-shape' });
    expect(() => conllCodec({ columns }).writeDocument(set)).toThrow(refused);
    expect(() => conllCodec({ columns }).writeDocument(none)).toThrow(refused);
    expect(() => conlluCodec().writeDocument(set)).toThrow(refused);
    expect(conlluCodec().writeDocument(none)).toContain(`\n${row(2, 'b', '_')}\n`);
    expect(() => lettersCodec().writeDocument(none)).toThrow(refused);
  });

  it('come out of NDJSON as gold, byte for byte, and convert', async () => {
    const raw = '{"weight": "1.0", "tokens": ["a","b"], "tags": [ null, ["X", "Y"] ]}';
    const codec = ndjsonCodec();
    const { documents } = await readAll(codec, `${raw}\n`);
    const tagged = { document: documents[0]!, tokens: ['a', 'b'], tags: ['Z', 'Z'] };
    expect(codec.write(tagged)).toBe(
      '{"weight": "1.0", "tokens": ["a","b"], "gold": [ null, ["X", "Y"] ],"tags":["Z","Z"]}\n',
    );
    const again = await readAll(codec, codec.write(tagged));
    expect(again.documents[0]).toMatchObject({ partialTags: [null, ['X', 'Y']] });
    expect(JSON.parse(codec.writeDocument(document))).toEqual({
      ...{ id: '1', tokens: document.tokens, tags: document.partialTags, weight: 2 },
    });
    expect(ndjsonCodec({ tag: 'pos' }).toRecord!(document).columns).toEqual({
      pos: document.partialTags,
    });
  });

  it('do not let a format copy records of other options', async () => {
    const text = 'a X\nb ?\n\n';
    const from = conllCodec({ columns, unknown: '?' });
    const { documents } = await readAll(from, text);
    expect(from.writeDocument(documents[0]!)).toBe(text);
    expect(conllCodec({ columns, unknown: '*' }).writeDocument(documents[0]!)).toBe('a X\nb *\n\n');
  });
});
