import { describe, expect, it } from 'vitest';
import { webannoCodec } from '../../../../src/formats/codecs/webanno/webanno-codec.js';
import { lookAtFile } from '../../../../src/runtime/pipeline/init/look-at-file.js';
import { bytesOf, cut, readAll } from '../../../runtime/io/sources/read-all.js';

const head = [
  '#FORMAT=WebAnno TSV 3.3',
  '#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value',
  '#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue',
];
const first = [
  '#Text=Acme Inc. is in Paris.',
  '1-1\t0-4\tAcme\t*[1]\tORG[1]\tNNP\t',
  '1-2\t5-9\tInc.\t*[1]\tORG[1]\tNNP\t',
  '1-3\t10-12\tis\t_\t_\tVBZ\t',
  '1-4\t13-15\tin\t_\t_\tIN\t',
  '1-5\t16-21\tParis\t*\tLOC\tNNP\t',
  '1-6\t21-22\t.\t_\t_\t.\t',
];
const second = ['#Text=Ben ran', '2-1\t23-26\tBen\t*\tPER\tNNP\t', '2-2\t27-30\tran\t_\t_\tVBD\t'];
const text = `${head.join('\n')}\n\n\n${first.join('\n')}\n\n${second.join('\n')}\n\n`;

describe('webannoCodec', () => {
  const codec = webannoCodec({ column: 2 });

  it('reads sentences with their text, in pieces of any length', async () => {
    for (const size of [3, 50, 10_000]) {
      const { documents, bad } = await readAll(codec, cut(bytesOf(text), size));
      expect(bad).toEqual([]);
      expect(documents.map(({ tags }) => tags)).toEqual([
        ['B-ORG', 'I-ORG', 'O', 'O', 'B-LOC', 'O'],
        ['B-PER', 'O'],
      ]);
      expect(documents[1]).toMatchObject({
        text: 'Ben ran',
        offsets: [
          [0, 3],
          [4, 7],
        ],
      });
      expect(documents.map(document => codec.writeDocument(document)).join('')).toBe(text);
    }
  });

  it('writes other spans into their column, and leaves all else', async () => {
    const { documents } = await readAll(codec, text);
    const [one, two] = documents;
    const write = (document: typeof one, tags: readonly string[]) =>
      codec.write({ document: document!, tokens: document!.tokens!, tags });
    const same = write(one, one!.tags!) + write(two, two!.tags!);
    expect(same).toBe(text);
    const other = write(one, ['O', 'O', 'O', 'O', 'B-PER', 'I-PER']) + write(two, ['B-PER', 'O']);
    expect(other).toBe(
      text
        .replaceAll('*[1]\tORG[1]', '*[1]\t_')
        .replace('*\tLOC\tNNP', '*\tPER[10001]\tNNP')
        .replace('_\t_\t.', '_\tPER[10001]\t.'),
    );
  });

  it('reads parts of speech', async () => {
    const { documents } = await readAll(webannoCodec({ column: 3, spans: false }), text);
    expect(documents[1]!.tags).toEqual(['NNP', 'VBD']);
  });

  const row = (cell: string, id = '1-1', place = '0-1') => `${id}\t${place}\ta\t${cell}\t\n`;
  it.each([
    ['stacked', row('PER|ORG') + row('_', '1-2', '2-3'), ['B-PER', 'O']],
    [
      'overlapping',
      row('PER[1]') +
        row('PER[1]|ORG[2]', '1-2', '2-3') +
        row('ORG[2]', '1-3', '4-5') +
        row('ORG[2]', '1-4', '6-7'),
      ['O', 'B-ORG', 'I-ORG', 'I-ORG'],
    ],
    ['on part of a token', row('_') + row('PER', '1-1.1', '0-1'), ['B-PER']],
  ])('labels that are %s', async (_, lines, expected) => {
    expect((await readAll(webannoCodec(), lines)).bad).toHaveLength(1);
    const { documents } = await readAll(webannoCodec({ overlaps: 'longest' }), lines);
    expect(documents[0]!.tags).toEqual(expected);
  });

  it('resolves escapes, and takes no label for one that has none', async () => {
    const { documents } = await readAll(
      webannoCodec(),
      row('a\\[b\\]\\_c[3]') + row('*', '1-2', '2-3'),
    );
    expect(documents[0]!.tags).toEqual(['B-a[b]_c', 'O']);
  });

  it.each(['x\t0-1\ta\tO\t\n', '1-1\t0\ta\tO\t\n', '1-1\t0-1\ta\n'])('refuses %j', async lines => {
    expect((await readAll(webannoCodec(), lines)).bad[0]!.error.message).toContain(
      'a row does not have ID',
    );
  });

  it('names what it leaves out', async () => {
    const { documents } = await readAll(codec, `#Sentence.id=s1\n${text}`);
    expect([...new Set(codec.unread!(documents[0]!))]).toEqual(['column 1', 'column 3']);
  });

  it('is not written from what has no place in a text', () => {
    expect(() => codec.writeDocument({ tokens: ['a'], tags: ['O'] })).toThrow('--to conllu');
  });
});

describe('init', () => {
  const guess = (hints = {}) => {
    const bytes = Buffer.from(text.repeat(2));
    return lookAtFile({ bytes, whole: true, fileBytes: bytes.length }, 'file', hints);
  };

  it.each([
    [{}, { column: 2 }],
    [{ task: 'ner' }, { column: 2 }],
    [{ task: 'pos' }, { column: 3, spans: false }],
    [{ tag: '3' }, { column: 3, spans: false }],
    [{ tag: 'POS.PosValue' }, { column: 3, spans: false }],
  ])('with %j finds the column', (hints, options) => {
    const found = guess(hints);
    expect([found.format, found.options]).toEqual(['webanno', options]);
    expect(found.reasons[1]).toContain('used as the tags');
  });
});
