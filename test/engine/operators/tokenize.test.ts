import { firstValueFrom, from, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { type TokenizeOptions, tokenize } from '../../../src/engine/operators/tokenize.js';
import { whitespaceTokenizer } from '../../../src/engine/text/tokenizers/whitespace-tokenizer.js';
import { CountingDelivery } from './counting-delivery.js';

function sentencesOf(document: Document, options?: TokenizeOptions): Promise<Sentence[]> {
  return lastValueFrom(of(document).pipe(tokenize(options), toArray()));
}

describe('tokenize', () => {
  it('makes of a text its sentences, with places in text and document', async () => {
    const document = { id: '7', text: 'It rains. Does it? Stay in!' };
    const sentences = await sentencesOf(document);
    expect(sentences).toEqual([
      {
        tokens: ['It', 'rains', '.'],
        offsets: [
          [0, 2],
          [3, 8],
          [8, 9],
        ],
        columns: {},
        part: { index: 0, count: 3, start: 0 },
        document,
      },
      {
        tokens: ['Does', 'it', '?'],
        offsets: [
          [10, 14],
          [15, 17],
          [17, 18],
        ],
        columns: {},
        part: { index: 1, count: 3, start: 3 },
        document,
      },
      {
        tokens: ['Stay', 'in', '!'],
        offsets: [
          [19, 23],
          [24, 26],
          [26, 27],
        ],
        columns: {},
        part: { index: 2, count: 3, start: 6 },
        document,
      },
    ]);
    for (const { document: own } of sentences) expect(own).toBe(document);
  });

  it('refuses a locale that is no language tag', () => {
    expect(() => tokenize({ locale: 'xx_YY' })).toThrow(
      expect.objectContaining({ code: 'config', problem: expect.stringContaining('xx_YY') }),
    );
  });

  it.each([
    [null, 'the document is null (pass { text: "..." } or { tokens: [...] })'],
    [undefined, 'the document is undefined'],
    ['It rains.', 'the document is "It rains."'],
    [['It', 'rains'], 'the document is an array'],
    [{ text: 5 }, 'text is 5 (give a string)'],
    [{ tokens: 'abc' }, 'tokens is "abc" (give an array of strings)'],
    [{ tokens: null }, 'tokens is null'],
    [{ tokens: ['Otto', 5] }, 'tokens[1] is 5 (give an array of strings)'],
  ])('refuses %j', async (given, message) => {
    const error = await sentencesOf(given as Document).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'TagstreamError',
      code: 'wrong-shape',
      message: expect.stringContaining(message),
    });
  });

  it('rejects what is no document where it has a delivery, and goes on', async () => {
    const delivery = new CountingDelivery();
    const documents = [{ text: 5, delivery } as unknown as Document, { text: 'Go' }];
    const sentences = await lastValueFrom(from(documents).pipe(tokenize(), toArray()));
    expect(sentences.map(({ tokens }) => tokens)).toEqual([['Go']]);
    expect(delivery.rejections).toMatchObject([{ code: 'wrong-shape' }]);
  });

  it('leaves a text whole where no sentences are wanted', async () => {
    const [whole, ...rest] = await sentencesOf(
      { text: 'It rains. Stay in!' },
      { sentences: false },
    );
    expect(rest).toEqual([]);
    expect(whole!.tokens).toEqual(['It', 'rains', '.', 'Stay', 'in', '!']);
    expect(whole!.part).toEqual({ index: 0, count: 1, start: 0 });
  });

  it('takes the tokenizer it is given', async () => {
    const options = { tokenizer: whitespaceTokenizer(), sentences: false };
    const [sentence] = await sentencesOf({ text: ' don’t  stop.' }, options);
    expect(sentence!.tokens).toEqual(['don’t', 'stop.']);
    expect(sentence!.offsets).toEqual([
      [1, 6],
      [8, 13],
    ]);
  });

  it('keeps tokens that a document has, as one sentence, whatever they read like', async () => {
    const tokens = ['One', '.', 'Two', '.'];
    const document = { tokens, tags: ['A', 'B', 'C', 'D'], columns: { n: [1, 2, 3, 4] } };
    const [sentence, ...rest] = await sentencesOf(document);
    expect(rest).toEqual([]);
    expect(sentence!.tokens).toBe(tokens);
    expect(sentence!.columns).toBe(document.columns);
    expect(sentence!.tags).toEqual(['A', 'B', 'C', 'D']);
    expect(sentence).not.toHaveProperty('offsets');
    expect(await sentencesOf({ ...document, text: 'Other text.' })).toHaveLength(1);
  });

  it('divides a document by the sentences that it names', async () => {
    const sentences = await sentencesOf({
      text: 'a b. c',
      tokens: ['a', 'b', '.', 'c'],
      offsets: [
        [0, 1],
        [2, 3],
        [3, 4],
        [5, 6],
      ],
      sentences: [
        [0, 3],
        [3, 4],
      ],
      tags: ['A', 'B', 'P', 'C'],
      columns: { pos: ['x', 'y', 'z', 'w'], n: [1, 2, 3, 4] },
    });
    expect(sentences.map(({ document, ...rest }) => rest)).toEqual([
      {
        tokens: ['a', 'b', '.'],
        offsets: [
          [0, 1],
          [2, 3],
          [3, 4],
        ],
        tags: ['A', 'B', 'P'],
        columns: { pos: ['x', 'y', 'z'], n: [1, 2, 3] },
        part: { index: 0, count: 2, start: 0 },
      },
      {
        tokens: ['c'],
        offsets: [[5, 6]],
        tags: ['C'],
        columns: { pos: ['w'], n: [4] },
        part: { index: 1, count: 2, start: 3 },
      },
    ]);
  });

  it('takes an empty list of sentences for none', async () => {
    const [sentence] = await sentencesOf({ tokens: ['a', 'b'], sentences: [] });
    expect(sentence!.tokens).toEqual(['a', 'b']);
    expect(sentence!.part).toEqual({ index: 0, count: 1, start: 0 });
  });

  it('divides a delivery among its sentences: acknowledged and released with the last', async () => {
    const delivery = new CountingDelivery();
    const sentences = await sentencesOf({ text: 'One. Two. Three.', delivery });
    expect(sentences).toHaveLength(3);
    for (const [i, sentence] of sentences.entries()) {
      expect(delivery.calls).toEqual([0, 0, 0]);
      sentence.delivery!.release();
      expect(delivery.calls).toEqual([i === 2 ? 1 : 0, 0, 0]);
      if (i === 2) delivery.releases = 0;
    }
    for (const [i, sentence] of sentences.entries()) {
      sentence.delivery!.ack();
      expect(delivery.calls).toEqual([0, i === 2 ? 1 : 0, 0]);
      expect(sentence.delivery!.position).toBe(delivery.position);
    }
  });

  it.each<Document>([
    { text: '' },
    { text: ' \n\t ' },
    { tokens: [] },
    { text: 'a', tokens: [] },
    { tokens: [], tags: [] },
    { text: '', tokens: [], offsets: [], sentences: [] },
    { text: '', spans: [] },
  ])('makes a sentence without tokens of a document without any: %j', async document => {
    const delivery = new CountingDelivery();
    const documents = from([{ ...document, delivery }, { text: 'Here.' }]);
    const sentences = await lastValueFrom(documents.pipe(tokenize(), toArray()));
    expect(sentences.map(({ tokens }) => tokens)).toEqual([[], ['Here', '.']]);
    expect(sentences[0]).toMatchObject({ part: { index: 0, count: 1, start: 0 } });
    expect(sentences[0]!.tags).toBeUndefined();
    expect(delivery.calls).toEqual([0, 0, 0]);
  });

  it.each([{}, { text: null as unknown as string }])(
    'rejects what has neither text nor tokens, and continues: %j',
    async document => {
      const delivery = new CountingDelivery();
      const documents = from([{ ...document, delivery }, { text: 'Here.' }]);
      const sentences = await lastValueFrom(documents.pipe(tokenize(), toArray()));
      expect(sentences).toHaveLength(1);
      expect(delivery.calls).toEqual([0, 0, 1]);
      const problem = 'the document has neither text nor tokens';
      expect(delivery.rejections[0]).toMatchObject({ code: 'wrong-shape', problem });
      await expect(firstValueFrom(of(document).pipe(tokenize()))).rejects.toMatchObject({
        problem,
      });
    },
  );

  it('gives each sentence what is known of its tags, and the weight of its record', async () => {
    const document: Document = {
      tokens: ['a', 'b', 'c', 'd', 'e', 'f'],
      sentences: [
        [0, 2],
        [2, 4],
        [4, 6],
      ],
      partialTags: ['X', null, 'X', 'Y', null, null],
      weight: 0.5,
    };
    const sentences = await sentencesOf(document);
    expect(sentences.map(({ tags, partialTags }) => [tags, partialTags])).toEqual([
      [undefined, ['X', null]],
      [['X', 'Y'], undefined],
      [undefined, undefined],
    ]);
    expect(sentences.map(({ weight }) => weight)).toEqual([0.5, 0.5, 0.5]);
  });
});
