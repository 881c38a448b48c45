import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readAttribute,
  writeAttribute,
} from '../../../../src/formats/codecs/crfsuite/attribute.js';
import { crfsuiteCodec } from '../../../../src/formats/codecs/crfsuite/crfsuite-codec.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

describe('attributes', () => {
  it('are read as they were written, with colons, backslashes and equals signs', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ':', '\\', '=', '1', '😀'), minLength: 1 });
    const property = fc.property(text, value => {
      expect(readAttribute(writeAttribute('w[0]', value))).toEqual({
        name: 'w[0]',
        value: expect.stringContaining(value.replace(/:-?\d[\d.]*$/, '')),
        weight: undefined,
      });
      expect(readAttribute(writeAttribute('w[0]', value)).value).toBe(value);
    });
    fc.assert(property, { seed: 1, numRuns: 500 });
  });

  it.each([
    ['word.lower()=a:b', { name: 'word.lower()', value: 'a:b', weight: undefined }],
    ['size:-1.5e2', { name: 'size', value: '', weight: -150 }],
    ['w[0]=x:2', { name: 'w[0]', value: 'x', weight: 2 }],
    ['bias', { name: 'bias', value: '', weight: undefined }],
    ['a\\', { name: 'a\\', value: '', weight: undefined }],
  ])('are read as CRFsuite writes them: %s', (text, wanted) => {
    expect(readAttribute(text)).toEqual(wanted);
  });
});

describe('crfsuiteCodec', () => {
  it('writes the attributes of the tokens around, within the sentence', () => {
    const document = {
      tokens: ['a', 'b', 'c'],
      columns: { pos: ['X', 'Y', 'Z'], size: [1, 2, 3] },
      tags: ['O', 'O', 'B'],
      sentences: [
        [0, 2],
        [2, 3],
      ] as const,
    };
    expect(crfsuiteCodec({ window: 1 }).writeDocument(document)).toBe(
      'O\tw[0]=a\tw[1]=b\tpos[0]=X\tpos[1]=Y\tsize[0]:1\tsize[1]:2\t__BOS__\n' +
        'O\tw[-1]=a\tw[0]=b\tpos[-1]=X\tpos[0]=Y\tsize[-1]:1\tsize[0]:2\t__EOS__\n\n' +
        'B\tw[0]=c\tpos[0]=Z\tsize[0]:3\t__BOS__\t__EOS__\n\n',
    );
  });

  it('reads numbers where attributes have no text', async () => {
    const codec = crfsuiteCodec({ attributes: { form: 'w[0]', size: 'size[0]', cap: 'cap' } });
    const { documents } = await readAll(codec, 'O\tw[0]=a\tsize[0]:2.5\tcap\nO\tw[0]=b\n\n');
    expect(documents.map(content)).toEqual([
      { tokens: ['a', 'b'], columns: { size: [2.5, 0], cap: [1, 0] }, tags: ['O', 'O'] },
    ]);
  });

  it('keeps the attributes of its own rows, and both of two columns of one name', async () => {
    const { documents } = await readAll(crfsuiteCodec(), 'O\tw[0]=a\tx:1\nO\tw[0]=b\n\n');
    const tagged = { document: documents[0]!, tokens: ['a', 'b'], tags: ['B', 'I'] };
    expect(crfsuiteCodec().write(tagged)).toBe('B\tw[0]=a\tx:1\nI\tw[0]=b\n\n');
    const clash = { tokens: ['a'], columns: { w: ['z'] } };
    expect(crfsuiteCodec({ window: 0 }).writeDocument(clash)).toBe(
      '_\tw[0]=a\t_w[0]=z\t__BOS__\t__EOS__\n\n',
    );
  });

  it('says which attribute is missing', async () => {
    const { bad } = await readAll(crfsuiteCodec(), 'O\tword=a\tpos=X\n\n');
    expect(bad[0]!.error.message).toContain(
      'an item has no attribute w[0], which should hold the token',
    );
    expect(bad[0]!.error.message).toContain('the item has word=a, pos=X');
    expect(() => crfsuiteCodec({ attributes: { pos: 'p' } })).toThrow(/form/);
  });
});
