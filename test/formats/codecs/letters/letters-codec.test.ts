import { describe, expect, it } from 'vitest';
import { lettersCodec } from '../../../../src/formats/codecs/letters/letters-codec.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

describe('lettersCodec', () => {
  it('makes a token of each letter, and divides or repeats the other columns', async () => {
    const { documents } = await readAll(lettersCodec(), 'cab\tk@b\t>1<\t0\n\ntee\tti-\t>1<\tn10\n');
    expect(documents.map(content)).toEqual([
      {
        tokens: ['c', 'a', 'b'],
        tags: ['k', '@', 'b'],
        columns: { stress: ['>', '1', '<'], class: ['0', '0', '0'] },
      },
      {
        tokens: ['t', 'e', 'e'],
        tags: ['t', 'i', '-'],
        columns: { stress: ['>', '1', '<'], class: ['n', '1', '0'] },
      },
    ]);
  });

  it('counts code points', async () => {
    const codec = lettersCodec({ columns: ['word', 'phonemes'] });
    const { documents } = await readAll(codec, 'a😀\tx𝕐\n');
    expect(content(documents[0]!)).toEqual({ tokens: ['a', '😀'], tags: ['x', '𝕐'] });
  });

  it('reads words without tags', async () => {
    const words = lettersCodec({ columns: ['word'] });
    expect(content((await readAll(words, 'ab\n')).documents[0]!)).toEqual({ tokens: ['a', 'b'] });
    const lone = lettersCodec({ columns: ['word', 'phonemes'] });
    expect(content((await readAll(lone, 'ab\t_\n')).documents[0]!)).toEqual({ tokens: ['a', 'b'] });
  });

  it('takes other columns by name', async () => {
    const codec = lettersCodec({
      columns: ['phones', 'spelling'],
      form: 'spelling',
      tag: 'phones',
    });
    expect(content((await readAll(codec, 'xy\tab\n')).documents[0]!)).toEqual({
      tokens: ['a', 'b'],
      tags: ['x', 'y'],
    });
  });

  it('reports what does not fit', async () => {
    const codec = lettersCodec({ columns: ['word', 'phonemes'] });
    const { documents, bad, blanks } = await readAll(codec, 'ab\txy\nab\txyz\nab\n\n\tx\ncd\txy\n');
    expect(documents.map(document => document.delivery!.position.line)).toEqual([1, 6]);
    expect(blanks).toBe(1);
    expect(bad.map(({ error }) => [error.place.line, error.code, error.problem])).toEqual([
      [2, 'length-mismatch', '2 letters but 3 phonemes'],
      [3, 'wrong-shape', '1 column in a row, expected 2'],
      [5, 'empty-sentence', 'the word is empty'],
    ]);
  });

  it('adds the predicted tags to the own row', async () => {
    const codec = lettersCodec();
    const { documents } = await readAll(codec, 'cab\tk@b\t>1<\t0\n');
    const tags = ['s', '-', 'b'];
    expect(codec.write({ document: documents[0]!, tokens: ['c', 'a', 'b'], tags })).toBe(
      'cab\tk@b\t>1<\t0\ts-b\n',
    );
  });

  it('writes documents from elsewhere', () => {
    const codec = lettersCodec();
    const document = { tokens: ['a', 'b'], columns: { class: ['verb', 'verb'], stress: [0, 1] } };
    expect(codec.writeDocument(document)).toBe('ab\t_\t01\tverb\n');
    const tagged = { document, tokens: ['a', 'b'], tags: ['x', 'y'] };
    expect(codec.write({ ...tagged, gold: ['v', 'w'] })).toBe('ab\tvw\t01\tverb\txy\n');
    expect(codec.write({ ...tagged, document: { text: 'ab' } })).toBe('ab\t_\t_\t_\txy\n');
  });

  it.each(['', 'ab', '\t'])('cannot write the token %j', token => {
    expect(() =>
      lettersCodec({ columns: ['word'] }).writeDocument({ tokens: [token] }),
    ).toThrowError(`the token ${JSON.stringify(token)} is not one letter`);
  });

  it('refuses columns that are not there', () => {
    expect(() => lettersCodec({ form: 'x' })).toThrowError('letters.form: no such column');
    expect(() => lettersCodec({ tag: 'x' })).toThrowError('letters.tag: no such column');
  });
});
