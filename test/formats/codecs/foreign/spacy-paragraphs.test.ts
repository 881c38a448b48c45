import { describe, expect, it } from 'vitest';
import { foreignCodec } from '../../../../src/formats/codecs/foreign/foreign-codec.js';
import { spacy } from '../../../../src/formats/codecs/foreign/spacy.js';
import { foreignNameOf } from '../../../../src/runtime/pipeline/init/guess/guess-foreign.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

const tokens = (...pairs: readonly (readonly [orth: string, ner?: string])[]) =>
  pairs.map(([orth, ner], id) => ({ id, orth, tag: 'X', ...(ner === undefined ? {} : { ner }) }));

const record = {
  id: 7,
  paragraphs: [
    {
      raw: 'Ann Lee ran. So did Ben.',
      sentences: [
        {
          tokens: tokens(['Ann', 'B-PER'], ['Lee', 'L-PER'], ['ran', 'O'], ['.', 'O']),
          brackets: [],
        },
        { tokens: tokens(['So', 'O'], ['did', 'O'], ['Ben', 'U-PER'], ['.', 'O']), brackets: [] },
      ],
      cats: [],
    },
    { sentences: [{ tokens: tokens(['In', 'O'], ['Rome', 'U-LOC']) }] },
  ],
};

describe('training data of spaCy 2', () => {
  const codec = foreignCodec(spacy);
  const line = JSON.stringify(record).replace('"cats":[]', '"cats" : [ 1.0 ]');

  it('is one document, with tokens, sentences and entities', async () => {
    expect(foreignNameOf(record)).toBe('spacy');
    const [document] = (await readAll(codec, `[${line}]`.slice(1, -1))).documents;
    expect(document).toMatchObject({
      id: '7',
      text: 'Ann Lee ran. So did Ben.\nIn Rome',
      tags: ['B-PER', 'I-PER', 'O', 'O', 'O', 'O', 'B-PER', 'O', 'O', 'B-LOC'],
      sentences: [
        [0, 4],
        [4, 8],
        [8, 10],
      ],
    });
    const { text, offsets } = document!;
    expect(offsets!.map(([start, end]) => text!.slice(start, end))).toEqual(document!.tokens);
  });

  it('has other entities in place, and all else byte for byte', async () => {
    const [document] = (await readAll(codec, `${line}\n`)).documents;
    const { tokens: words, offsets } = document!;
    const tags = document!.tags!.with(6, 'O').with(9, 'B-GPE');
    const written = codec.write({
      document: document!,
      tokens: words!,
      offsets: offsets!,
      tags,
      spans: [],
    });
    expect(written).toBe(
      `${line.replace('"orth":"Ben","tag":"X","ner":"U-PER"', '"orth":"Ben","tag":"X","ner":"O"').replace('U-LOC', 'U-GPE')}\n`,
    );
    expect(codec.unread!(document!)).toContain('paragraphs[].cats');
  });

  it('knows tags in part, and none where there are none', async () => {
    const read = async (...all: (readonly [orth: string, ner?: string])[]) =>
      (
        await readAll(
          codec,
          JSON.stringify({ id: 1, paragraphs: [{ sentences: [{ tokens: tokens(...all) }] }] }),
        )
      ).documents[0]!;
    expect((await read(['Ann', 'U-PER'], ['x', '-'])).partialTags).toEqual(['B-PER', null]);
    const bare = await read(['Ann'], ['x']);
    expect([bare.tags, bare.partialTags, bare.text]).toEqual([undefined, undefined, 'Ann x']);
  });

  it('says what is wrong', async () => {
    const wrong = { paragraphs: [{ raw: 'Ann', sentences: [{ tokens: tokens(['Ben', 'O']) }] }] };
    const { bad } = await readAll(codec, JSON.stringify(wrong));
    expect(bad[0]!.error.message).toContain('paragraphs[0].sentences[0].tokens[0].orth is "Ben"');
  });
});
