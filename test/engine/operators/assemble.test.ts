import { from, lastValueFrom, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { TaggedSentence } from '../../../src/engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../../src/engine/core/sentence/tagged-document.js';
import { type AssembleOptions, assemble } from '../../../src/engine/operators/assemble.js';

/** A document of three sentences of 2, 1 and 3 tokens. */
function threeSentences(id: string): TaggedSentence[] {
  const document: Document = { id, text: 'ab cd. e fg hi.' };
  const parts = [
    { tokens: ['ab', 'cd'], tags: ['B-X', 'I-X'], start: 0 },
    { tokens: ['e'], tags: ['O'], start: 2 },
    { tokens: ['fg', 'hi', '.'], tags: ['O', 'B-Y', 'O'], start: 3 },
  ];
  return parts.map(({ tokens, tags, start }, index) => ({
    tokens,
    tags,
    columns: {},
    offsets: tokens.map((_, t) => [10 * (start + t), 10 * (start + t) + 2] as const),
    gold: tags.map(() => 'O'),
    score: index + 0.5,
    marginals: tags.map((_, t) => (start + t) / 10),
    document,
    part: { index, count: 3, start },
  }));
}

function alone(id: string): TaggedSentence {
  const document = { id, tokens: ['x'] };
  const part = { index: 0, count: 1, start: 0 };
  return { tokens: document.tokens, tags: ['B-Z'], columns: {}, score: 7, document, part };
}

function assembled(
  sentences: readonly TaggedSentence[],
  options?: AssembleOptions,
): Promise<TaggedDocument[]> {
  return lastValueFrom(from(sentences).pipe(assemble(options), toArray()));
}

describe('assemble', () => {
  it('joins the probabilities of all labels', async () => {
    const labels = ['O', 'X'];
    let next = 0;
    const sentences = threeSentences('7').map(sentence => ({
      ...sentence,
      labelMarginals: {
        labels,
        values: Float64Array.from({ length: 2 * sentence.tokens.length }, () => next++),
      },
    }));
    const [whole] = await assembled(sentences);
    expect(whole!.labelMarginals).toEqual({
      labels,
      values: Float64Array.from({ length: 12 }, (_, i) => i),
    });
  });

  it('makes one document again of its sentences', async () => {
    const sentences = threeSentences('7');
    expect(await assembled(sentences)).toEqual([
      {
        document: sentences[0]!.document,
        tokens: ['ab', 'cd', 'e', 'fg', 'hi', '.'],
        tags: ['B-X', 'I-X', 'O', 'O', 'B-Y', 'O'],
        offsets: [
          [0, 2],
          [10, 12],
          [20, 22],
          [30, 32],
          [40, 42],
          [50, 52],
        ],
        sentences: [
          [0, 2],
          [2, 3],
          [3, 6],
        ],
        gold: ['O', 'O', 'O', 'O', 'O', 'O'],
        marginals: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
      },
    ]);
  });

  it('adds of a single sentence no more than there is', async () => {
    const sentence = alone('1');
    const [tagged] = await assembled([sentence]);
    expect(tagged).toEqual({ document: sentence.document, tokens: ['x'], tags: ['B-Z'] });
    expect(tagged!.document).toBe(sentence.document);
    expect(tagged!.tokens).toBe(sentence.tokens);
  });

  it('counts spans in the tokens of the document, none across two sentences', async () => {
    const [tagged] = await assembled(threeSentences('7'), { spans: () => true });
    expect(tagged!.spans).toEqual([
      { label: 'X', start: 0, end: 2 },
      { label: 'Y', start: 4, end: 5 },
    ]);
    const sentences = threeSentences('8').map(each => ({
      ...each,
      tags: each.tags.map(() => 'I-X'),
    }));
    const [across] = await assembled(sentences, { spans: () => true });
    expect(across!.spans).toEqual([
      { label: 'X', start: 0, end: 2 },
      { label: 'X', start: 2, end: 3 },
      { label: 'X', start: 3, end: 6 },
    ]);
  });

  it('takes whether spans are wanted as it is, too, and refuses other options', async () => {
    const [wanted] = await assembled([alone('1')], { spans: true });
    expect(wanted!.spans).toEqual([{ label: 'Z', start: 0, end: 1 }]);
    const [unwanted] = await assembled([alone('1')], { spans: false });
    expect(unwanted).not.toHaveProperty('spans');
    const other = { span: true } as AssembleOptions;
    expect(() => assemble(other)).toThrow('did you mean spans');
  });

  it('asks for each document whether spans are wanted', async () => {
    let asked = 0;
    const spans = () => {
      asked += 1;
      return asked === 2;
    };
    const [first, second] = await assembled([alone('1'), alone('2')], { spans });
    expect(first).not.toHaveProperty('spans');
    expect(second!.spans).toEqual([{ label: 'Z', start: 0, end: 1 }]);
  });

  it('adds the score of each sentence where it is asked for', async () => {
    const sentences = [...threeSentences('7'), alone('8')];
    const [first, second] = await assembled(sentences, { scores: true });
    expect(first!.scores).toEqual([0.5, 1.5, 2.5]);
    expect(second!.scores).toEqual([7]);
  });

  it.each([
    ['first', [1, 2]],
    ['second', [0, 2]],
    ['last', [0, 1]],
    ['first two', [2]],
    ['last two', [0]],
  ])('leaves out a document whose %s was rejected, and no other', async (_, left) => {
    const broken = threeSentences('broken');
    const sentences = [
      ...threeSentences('before'),
      ...left.map(i => broken[i]!),
      alone('single'),
      ...left.map(i => threeSentences('at the end')[i]!),
      ...threeSentences('after'),
      ...left.map(i => threeSentences('last')[i]!),
    ];
    const ids = (await assembled(sentences)).map(({ document }) => document.id);
    expect(ids).toEqual(['before', 'single', 'after']);
  });

  it('distinguishes two runs over the same document', async () => {
    const sentences = threeSentences('7');
    expect(await assembled([...sentences, ...sentences])).toHaveLength(2);
  });

  it('emits with the last sentence of a document', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ cold, expectObservable, expectSubscriptions }) => {
        const [a, b, c] = threeSentences('7') as [TaggedSentence, TaggedSentence, TaggedSentence];
        const source = cold('-a-b--c--s-a|', { a, b, c, s: alone('8') });
        const ids = source.pipe(assemble());
        const expected = {
          c: expect.objectContaining({ document: a.document }),
          s: expect.anything(),
        };
        expectObservable(ids).toBe('------c--s--|', expected);
        expectSubscriptions(source.subscriptions).toBe('^-----------!');
      },
    );
  });

  it('leaves gold tags out where not all sentences have some', async () => {
    const [first, second, third] = threeSentences('1');
    const { gold: _, ...without } = second!;
    const [whole] = await assembled([first!, without, third!]);
    expect(whole!.tags).toHaveLength(6);
    expect(whole!.gold).toBeUndefined();
    const [all] = await assembled(threeSentences('1'));
    expect(all!.gold).toHaveLength(6);
  });
});
