import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/engine/core/errors.js';
import { parseDictionary } from '../../../src/engine/models/labels/tag-dictionary.js';
import { recordCodec } from '../../../src/formats/codecs/record-codec.js';
import { codecOf } from '../../../src/runtime/pipeline/catalogue/codec-of.js';
import { sources } from '../../../src/runtime/pipeline/catalogue/sources.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { readAll } from '../../runtime/io/sources/read-all.js';

const conllu = (upos: string, misc = '_') =>
  `1\tAnn\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tran\t_\t${upos}\t_\t_\t_\t_\t_\t${misc}\n\n`;
const columns = ['form', 'tag'];
const spans = (name: string, record: object) => [name, {}, `${JSON.stringify(record)}\n`] as const;

/** A record of each format, with a label for which `EMPTY` is put. */
const records: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['ndjson', {}, '{"tokens":["Ann","ran"],"tags":["X","EMPTY"]}\n'],
  ['ndjson', {}, '{"tokens":["Ann","ran"],"gold":["X",["Y","EMPTY"]]}\n'],
  ['ndjson', { tag: 'pos' }, '{"tokens":["Ann"],"columns":{"pos":["EMPTY"]}}\n'],
  ['ndjson', { tag: 'ner' }, '{"tokens":["Ann"],"ner":["EMPTY"]}\n'],
  ['ndjson', {}, '{"tokens":["Ann"],"constraints":{"0":["EMPTY"]}}\n'],
  ['conll', { columns, separator: 'tab' }, 'Ann\tX\nran\tEMPTY\n\n'],
  ['conll', { columns, separator: 'comma' }, 'Ann,X\nran,EMPTY\n\n'],
  ['conll', { columns, separator: 'tab', tagOptional: true }, 'Ann\tEMPTY\nran\tEMPTY\n\n'],
  ['conll', { columns, separator: 'tab', alternatives: '|' }, 'Ann\tX\nran\tY|EMPTY\n\n'],
  ['conllu', {}, conllu('EMPTY')],
  ['conllu', { tag: 'misc.name' }, conllu('VERB', 'name=EMPTY')],
  ['letters', { columns: ['word', 'phonemes'] }, 'ab\tEMPTYEMPTY\n'],
  ['crfsuite', {}, 'X\tw[0]=Ann\nEMPTY\tw[0]=ran\n\n'],
  ['slash', {}, 'Ann/X ran/EMPTY\n'],
  ['webanno', {}, '1-1\t0-3\tAnn\tEMPTY\t\n\n'],
  spans('spans', { text: 'Ann', spans: [{ start: 0, end: 3, label: 'EMPTY' }] }),
  spans('doccano', { text: 'Ann', label: [[0, 3, 'EMPTY']] }),
  spans('spacy', { text: 'Ann', entities: [[0, 3, 'EMPTY']] }),
  spans('prodigy', {
    text: 'Ann',
    answer: 'accept',
    spans: [{ start: 0, end: 3, label: 'EMPTY' }],
  }),
  spans('label-studio', {
    data: { text: 'Ann' },
    annotations: [{ result: [{ type: 'labels', value: { start: 0, end: 3, labels: ['EMPTY'] } }] }],
  }),
];

const codes = (bad: readonly { readonly error: { readonly code: ErrorCode } }[]) =>
  bad.map(({ error }) => error.code);

describe('an empty label', () => {
  it.each(records)('is a fault of its record in %s %j', async (name, options, text) => {
    const read = (label: string) =>
      readAll(codecOf({ name, options }), text.replaceAll('EMPTY', label));
    expect((await read('Z')).bad).toEqual([]);
    const empty = await read('');
    expect([empty.documents, codes(empty.bad).length]).toEqual([[], 1]);
    expect(empty.bad[0]!.error.message).toMatch(/empty|""|no tag|0 phonemes/);
    // A blank cannot be seen either; between words, and in WebAnno, it is part of the text.
    if (['slash', 'webanno'].includes(name)) return;
    expect(codes((await read(' ')).bad)).toEqual(['wrong-shape']);
  });

  it('is tried in every format with labels', () => {
    const tried = new Set(['text', 'simulated', 'brat', ...records.map(([name]) => name)]);
    expect(sources.map(({ name }) => name).filter(name => !tried.has(name))).toEqual([]);
  });

  it('names its row and says what to write', async () => {
    const { bad } = await readAll(
      codecOf({ name: 'conll', options: { columns, separator: 'tab' } }),
      'Ben\tX\n\nAnn\tX\nran\t\n\n',
    );
    expect(bad[0]!.error.place.line).toBe(4);
    expect(bad[0]!.error.message).toContain(
      'the column tag is empty in a row (write the tag; _ in each row of a sentence without tags',
    );
  });

  it('is no label of items to tag, which have none', async () => {
    const { documents, bad } = await readAll(
      codecOf({ name: 'crfsuite', options: {} }),
      '\tw[0]=Ann\n\tw[0]=ran\n\n',
    );
    expect([bad, documents[0]!.tokens, documents[0]!.tags]).toEqual([
      [],
      ['Ann', 'ran'],
      undefined,
    ]);
  });

  it.each(['id', 'lemma', 'misc'])('may not be an empty cell of CoNLL-U either: %s', async name => {
    const index = ['id', 'form', 'lemma', '', '', '', '', '', '', 'misc'].indexOf(name);
    const cells = ['1', 'Ann', 'Ann', 'NOUN', '_', '_', '_', '_', '_', '_'];
    cells[index] = '';
    const { bad } = await readAll(
      codecOf({ name: 'conllu', options: {} }),
      `${cells.join('\t')}\n\n`,
    );
    expect(bad[0]!.error.problem).toBe(`the column ${name} is empty in a row`);
  });

  it('is refused of late labels, in a dictionary, and of a plug-in', async () => {
    const late = codecOf({ name: 'ndjson', options: {} }).forLabels!();
    const { bad } = await readAll(late, '{"id":1,"tags":[""]}\n{"id":1,"tags":{"3":""}}\n');
    expect(codes(bad)).toEqual(['wrong-shape', 'wrong-shape']);
    expect(() => parseDictionary('{"word": "a", "tags": [""]}')).toThrow(
      'not a word with its tags',
    );
    const component = {
      ...{ name: 'own', what: 'the plug-in', records: 'lines' },
      create: () => ({ parse: () => ({ tokens: ['a'], tags: [''] }), write: () => '' }),
    } as unknown as Parameters<typeof recordCodec>[0];
    expect(codes((await readAll(recordCodec(component, {}), 'a\n')).bad)).toEqual(['wrong-shape']);
  });

  it('is refused of documents in code', async () => {
    const tokens = ['Ann', 'ran'];
    const documents = [
      { tokens, tags: ['B-PER', 'O'] },
      { tokens, tags: ['B-PER', ''] },
    ];
    await expect(train({ corpus: documents, task: 'ner' })).rejects.toThrow(/tags\[1\] is ""/);
  });
});
