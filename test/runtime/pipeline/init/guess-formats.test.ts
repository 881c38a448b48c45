import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Hints } from '../../../../src/runtime/pipeline/init/guess/column-look.js';
import { labelNamesOf } from '../../../../src/runtime/pipeline/init/guess/label-names.js';
import { readableGuess } from '../../../../src/runtime/pipeline/init/init-pipeline.js';
import { lookAtFile } from '../../../../src/runtime/pipeline/init/look-at-file.js';

function guessed(text: string, hints: Hints = {}) {
  const bytes = Buffer.from(text);
  return lookAtFile({ bytes, whole: true, fileBytes: bytes.length }, 'file', hints);
}

const people = ['Ann', 'Ben', 'Eve', 'Max', 'Zoe', 'Tom', 'Una', 'Ida', 'Lea', 'Kai'];

describe('files of other formats', () => {
  it.each(['/', '_', '|'])('words with their tags after %s', separator => {
    const line = (who: string) => ['The/AT', `${who}/NP`, 'ran/VB', './.'].join(' ');
    const text = people.map(who => line(who).replaceAll('/', separator)).join('\n');
    const { format, options } = guessed(`${text}\n`);
    expect(format).toBe('slash');
    expect(options).toEqual(separator === '/' ? {} : { separator });
  });

  it('data of CRFsuite, whose attributes are not taken for tokens', () => {
    const items = people.map(
      (who, i) => `O\tw[-1]=${people[i - 1] ?? '_'}\tw[0]=${who}\tpos[0]=NN\tpos[1]=VB\tbias\n`,
    );
    const verbs = people.map(who => `O\tw[-1]=${who}\tw[0]=ran\tpos[0]=VB\n`);
    const { format, options, columns } = guessed(
      items.map((item, i) => `${item}${verbs[i]}\n`).join(''),
    );
    expect(format).toBe('crfsuite');
    expect(options).toEqual({ attributes: { form: 'w[0]', pos: 'pos[0]' } });
    expect(columns).toEqual([{ name: 'pos', holds: 'pos' }]);
  });

  it('attributes as sklearn-crfsuite has them', () => {
    const items = people.map(
      who => `O\tbias:1.0\tword.lower()=${who.toLowerCase()}\tword[-2:]=${who.slice(1)}\n`,
    );
    const { options } = guessed(`${items.join('')}\n`);
    expect(options).toEqual({ attributes: { form: 'word.lower()' } });
  });

  it('columns with a header', () => {
    const rows = people.map(
      (who, i) => `${who}\tNNP\tB-PER\nran\tVBD\tO\n${i % 3 === 0 ? '\n' : ''}`,
    );
    const { format, options, reasons } = guessed(`Word\tPOS\tNER\n${rows.join('')}`);
    expect(format).toBe('conll');
    expect(options).toEqual({
      columns: ['form', 'pos', 'tag'],
      separator: 'tab',
      comment: 'Word\tPOS\tNER',
    });
    expect(reasons).toContain('  the first line names the columns');
  });

  it('IOB1, which is read as BIO', () => {
    const text = 'Ann I-PER\nran O\n\nIn O\nOslo I-LOC\nBath B-LOC\nBen I-PER\n\n';
    expect(guessed(text).options).toEqual({ columns: ['form', 'tag'], iob1: true });
    expect(guessed(text.replace('Ann I-', 'Ann B-')).options).toEqual({ columns: ['form', 'tag'] });
  });

  it('JSON of annotation tools, an array or lines', () => {
    const record = { text: 'Go, Ann', label: [[4, 7, 'PER']] };
    for (const text of [
      `${JSON.stringify(record)}\n`,
      JSON.stringify([record, record], undefined, 1),
    ]) {
      expect(guessed(text).format).toBe('doccano');
    }
    expect(guessed('[{"tokens": ["a", "b"], "tags": ["X", "Y"]}]').format).toBe('ndjson');
  });
});

describe('tags that are numbers', () => {
  const names = ['O', 'B-PER', 'I-PER', 'B-ORG'];
  const records = people.map(who => ({
    id: who,
    tokens: [who, 'Lee', 'runs'],
    ner_tags: [1, 2, 0],
  }));
  const lines = (rows: readonly object[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('');
  const type = { feature: { names, _type: 'ClassLabel' }, _type: 'Sequence' };

  it('have their names in the file', () => {
    const features = [{ feature_idx: 0, name: 'ner_tags', type }];
    const rows = records.map((row, row_idx) => ({ row_idx, row, truncated_cells: [] }));
    const { format, options, reasons } = guessed(JSON.stringify({ features, rows }));
    expect(format).toBe('ndjson');
    expect(options).toEqual({ records: 'rows', tag: 'ner_tags', labels: names });
    expect(reasons).toContain(
      '  ner_tags: numbers, named in the file: reads as BIO (B-PER, I-PER, O); used as the tags',
    );
  });

  it('have names that are given', () => {
    expect(guessed(lines(records), { labels: names }).options).toEqual({
      tag: 'ner_tags',
      labels: names,
    });
    const words = records.map(({ tokens, ner_tags }) => ({ words: tokens, labels: ner_tags }));
    expect(guessed(lines(words), { labels: names }).options).toEqual({
      ...{ tokens: 'words', tag: 'labels', labels: names },
    });
    const tags = records.map(({ tokens, ner_tags }) => ({ tokens, tags: ner_tags }));
    expect(guessed(lines(tags), { labels: names }).options).toEqual({ labels: names });
  });

  it('are in lists for each field', () => {
    const lists = {
      id: records.map(({ id }) => id),
      tokens: records.map(({ tokens }) => tokens),
      ner_tags: records.map(row => row.ner_tags),
    };
    expect(guessed(JSON.stringify(lists), { labels: names }).options).toEqual({
      ...{ records: 'columns', tag: 'ner_tags', labels: names },
    });
  });

  it.each([
    [
      {},
      'ner_tags holds numbers, 0 to 2, and they have no names (name them in order from 0: --labels',
    ],
    [{ labels: ['O', 'B-PER'] }, 'ner_tags holds numbers, 0 to 2, and --labels names 2'],
    [{ tag: 'ner_tags' }, 'ner_tags holds numbers, 0 to 2, and they have no names'],
    [{ tag: 'id' }, 'no record has a column id'],
  ])('are asked for with %j', (hints, message) => {
    expect(() => guessed(lines(records), hints)).toThrow(message);
  });

  it('are the best of several, or what is named', () => {
    const more = records.map(row => ({
      ...row,
      pos_tags: [1, 1, 0],
      chunk_tags: ['B-NP', 'I-NP', 'O'],
    }));
    expect(guessed(lines(more), { labels: names, task: 'ner' }).options.tag).toBe('ner_tags');
    expect(guessed(lines(more), { task: 'chunk' }).options).toEqual({ tag: 'chunk_tags' });
    expect(guessed(lines(more), { labels: names, tag: 'pos_tags' }).options.tag).toBe('pos_tags');
  });

  it.each([
    [{ dataset_info: { features: { ner: type } } }, names],
    [
      { default: { features: { ner: { feature: { num_classes: 2, names: ['O', 'B-X'] } } } } },
      ['O', 'B-X'],
    ],
    [
      { features: [{ name: 'ner', sequence: { class_label: { names: { 0: 'O', 1: 'B-X' } } } }] },
      ['O', 'B-X'],
    ],
    [{ features: [{ name: 'pos', type }] }, undefined],
    [{ ner: 'of another meaning' }, undefined],
  ])('are named by %j', (description, expected) => {
    expect(labelNamesOf(description, 'ner')).toEqual(expected);
  });

  it.each([
    ['dataset_info.json', JSON.stringify({ features: { ner_tags: type } })],
    [
      'README.md',
      `---\ndataset_info:\n  features:\n  - name: ner_tags\n    sequence:\n      class_label:\n        names:\n          '0': O\n          '1': B-PER\n          '2': I-PER\n          '3': B-ORG\n---\n# A data set\n`,
    ],
    ['label.json', JSON.stringify({ O: 0, 'B-ORG': 3, 'B-PER': 1, 'I-PER': 2 })],
    ['config.json', JSON.stringify({ id2label: { 0: 'O', 1: 'B-PER', 2: 'I-PER', 3: 'B-ORG' } })],
    ['labels.txt', 'O\nB-PER\nI-PER\nB-ORG\n'],
  ])('have their names beside the file, in %s', (name, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'labels-'));
    writeFileSync(join(folder, name), text);
    const bytes = Buffer.from(lines(records));
    const head = { bytes, whole: true, fileBytes: bytes.length };
    const { options, reasons } = lookAtFile(head, join(folder, 'train.jsonl'), {});
    expect(options).toEqual({ tag: 'ner_tags', labels: names });
    expect(reasons[1]).toContain(`named in ${join(folder, name)}`);
    rmSync(folder, { recursive: true });
  });
});

describe('CoNLL-U', () => {
  const row = (upos: string, misc: string) => `1\tAnn\t_\t${upos}\t_\t_\t0\troot\t_\t${misc}\n\n`;
  const text =
    row('PROPN', 'name=B-PER|SpaceAfter=No') + row('VERB', '_') + row('NOUN', 'name=B-ORG');

  it.each([
    [{}, { tag: 'misc.name' }],
    [{ task: 'ner' }, { tag: 'misc.name' }],
    [{ task: 'pos' }, { tag: 'upos' }],
    [{ tag: 'upos' }, { tag: 'upos' }],
    [{ tag: 'misc.SpaceAfter' }, { tag: 'misc.SpaceAfter' }],
  ] as const)('has spans in MISC: with %j', (hints, options) => {
    expect(guessed(text, hints).options).toEqual(options);
  });

  it('says what else could be the tags', () => {
    expect(guessed(text).reasons).toEqual([
      'CoNLL-U',
      '  misc.name: reads as BIO (B-PER, O, B-ORG); used as the tags',
      '  upos: universal parts of speech (PROPN, VERB, NOUN); --tag upos uses it as the tags',
    ]);
  });

  it('has parts of speech where MISC marks no spans', () => {
    expect(guessed(row('NOUN', 'SpaceAfter=No') + row('VERB', 'Gloss=a')).options).toEqual({
      tag: 'upos',
    });
  });

  it('has no tags where all columns hold nothing but _', () => {
    expect(() => guessed(row('_', '_') + row('_', 'SpaceAfter=No'))).toThrow(
      'every value of the column upos and xpos is _ (name the column of the tags with --tag)',
    );
    expect(() => guessed(text, { tag: 'mics.name' })).toThrow('and attributes, as misc.NAME');
  });
});

describe('records all of whose spans overlap', () => {
  it('are read with the longest of them', async () => {
    const label = [
      [0, 3, 'PER'],
      [0, 8, 'PER'],
    ];
    const bytes = Buffer.from(`${JSON.stringify({ text: 'Ann Berg ran', label })}\n`);
    const head = { bytes, whole: true, fileBytes: bytes.length };
    const { guess, begin } = await readableGuess(lookAtFile(head, 'file', {}), head, 'file');
    expect(guess.options).toEqual({ overlaps: 'longest' });
    expect(guess.warnings[0]).toContain('overlap: the longest counts; set overlaps in source');
    expect(begin.labelled[0]!.tags).toEqual(['B-PER', 'I-PER', 'O']);
  });
});
