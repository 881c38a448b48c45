import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { strategyOf } from '../../src/annotation/strategies/strategies.js';
import { spansTask } from '../../src/annotation/task/annotation-task.js';
import { recordQueueOf } from '../../src/cli/run/annotate/annotate-file.js';
import { workspace } from '../cli/commands/workspace.js';
import { everyNth } from '../house/long-forms.js';
import { openSample } from './sample-session.js';

const folder = workspace();
let files = 0;

/** The texts or tokens that a file is read as, with the tags that are proposed, and what is logged. */
async function read(content: string | Uint8Array, extension: string, named?: string) {
  files += 1;
  const path = join(folder, `r${files}.${extension}`);
  writeFileSync(path, content);
  const logged: string[] = [];
  const log = {
    info: (text: string) => logged.push(text),
    warn: (text: string) => logged.push(text),
    error: (text: string) => logged.push(text),
  };
  const session = await openSample(path, join(folder, `o${files}.ndjson`), {
    queue: await recordQueueOf(path, named, log),
    ...{ task: spansTask(['PER', 'LOC']), strategy: strategyOf('sequential') },
    onNotice: text => logged.push(text),
  });
  const [one] = session.annotators;
  const records: string[] = [];
  const tags: string[] = [];
  for (let shown = session.next(one!); shown !== undefined; shown = session.next(one!)) {
    records.push(shown.text ?? shown.tokens.join('|'));
    tags.push(shown.tags.join(' '));
    const { record, showing } = shown;
    session.answer(one!, { record, showing, answer: 'accept', tags: shown.tags, corrections: 0 });
  }
  await session.close();
  // The same file again: records are those that were answered.
  const again = await openSample(path, join(folder, `o${files}.ndjson`), {
    queue: await recordQueueOf(path, named, log),
    task: spansTask(['PER', 'LOC']),
  });
  expect(again.next(again.annotators[0]!)).toBeUndefined();
  await again.close();
  return { records, tags, logged };
}

const texts = ['Ann ran .', 'Ben saw Oslo .'];
const gold = ['B-PER O O', 'B-PER O B-LOC O'];
const objects = texts.map(text => JSON.stringify({ text }));
const rows = texts.map((text, i) => {
  const tags = gold[i]!.split(' ');
  return text.split(' ').map((form, t) => [form, tags[t]!] as const);
});
const inColumns = (between: string, blank = '\n') =>
  rows.map(row => row.map(cells => `${cells.join(between)}\n`).join('')).join(blank);

const spans = (form: (start: number, end: number, label: string) => unknown) => [
  [form(0, 3, 'PER')],
  [form(0, 3, 'PER'), form(8, 12, 'LOC')],
];
const object = (start: number, end: number, label: string) => ({ start, end, label });
const list = (start: number, end: number, label: string) => [start, end, label];
const labelled = (key: string, form: typeof object | typeof list) =>
  texts.map((text, i) => ({ text, [key]: spans(form)[i] }));
const inLines = (records: readonly unknown[]) =>
  records.map(record => `${JSON.stringify(record)}\n`).join('');
const spacy = texts.map((text, i) => [text, { entities: spans(list)[i] }]);

const untagged: Readonly<Record<string, readonly [string, string]>> = {
  'plain text': [`${texts.join('\n')}\n`, 'txt'],
  NDJSON: [`${objects.join('\n')}\n`, 'ndjson'],
  'a JSON array': [`[${objects.join(',\n')}]\n`, 'json'],
  'a JSON array on many lines': [
    JSON.stringify(
      texts.map(text => ({ text })),
      null,
      2,
    ),
    'json',
  ],
  'a JSON array under the name of a text': [`[${objects.join(',')}]`, 'txt'],
};
const tagged: Readonly<Record<string, readonly [string, string]>> = {
  'CoNLL, with blanks': [inColumns(' '), 'conll'],
  'CoNLL, with tabs': [inColumns('\t'), 'txt'],
  'CSV with a header': [`token,tag\n${inColumns(',')}`, 'csv'],
  'spans in lines': [inLines(labelled('spans', object)), 'jsonl'],
  'spans in an array': [JSON.stringify(labelled('spans', object)), 'json'],
  doccano: [inLines(labelled('label', list)), 'jsonl'],
  'spaCy in lines': [inLines(labelled('entities', list)), 'jsonl'],
  'spaCy in an array': [JSON.stringify(spacy), 'json'],
  'Label Studio': [
    JSON.stringify(
      texts.map((text, i) => ({
        data: { text },
        annotations: [
          {
            result: spans((start, end, label) => ({
              ...{ from_name: 'n', to_name: 't', type: 'labels' },
              value: { start, end, labels: [label], text: text.slice(start, end) },
            }))[i],
          },
        ],
      })),
    ),
    'json',
  ],
  'NDJSON with tags': [
    inLines(rows.map(row => ({ tokens: row.map(([form]) => form), tags: row.map(([, t]) => t) }))),
    'ndjson',
  ],
};

describe.each([
  ['plain', (content: string) => content, ''],
  ['in gzip', (content: string) => gzipSync(content), '.gz'],
] as const)('records to be labelled, %s', (_, packed, end) => {
  for (const { rows, tags } of everyNth(6, Object.entries(untagged))) {
    it.each(rows)('are read from %s', { tags }, async (__, [content, extension]) => {
      expect((await read(packed(content), extension + end)).records).toEqual(texts);
    });
  }

  for (const part of everyNth(15, Object.entries(tagged))) {
    it.each(part.rows)(
      'bring labels from %s',
      { tags: part.tags },
      async (__, [content, extension]) => {
        const { records, tags } = await read(packed(content), extension + end);
        expect(records.map(record => record.replaceAll('|', ' '))).toEqual(texts);
        expect(tags).toEqual(gold);
      },
    );
  }
});

describe('plain text', () => {
  for (const part of everyNth(3, [
    ['lines of two words', 'New York\nBen Oslo\nOld Town\n'],
    ['sentences with blank lines between', 'It is cold\n\nHe is old\n\nWe go now\n'],
    ['lines with commas', 'Hello, world\nYes, sir\nNo, madam\n'],
    ['rows of CSV with a text', 'id,text\n1,Ben flew.\n2,Ann ran far\n'],
    ['single words', 'abc\nabd\naaa\n'],
    ['one line', 'Ben flew to Rome.'],
  ])) {
    it.each(part.rows)('is not taken for columns: %s', { tags: part.tags }, async (_, content) => {
      const expected = content.split('\n').filter(line => line !== '');
      expect((await read(content, 'txt')).records).toEqual(expected);
    });
  }

  it('is what --format says', async () => {
    expect((await read('Ben B-PER\nran O\n', 'txt', 'text')).records).toEqual([
      'Ben B-PER',
      'ran O',
    ]);
    const named = 'conll:{columns: [form, tag]}';
    expect((await read('Ben B-PER\nran O\n', 'txt', named)).records).toEqual(['Ben|ran']);
    expect((await read('{"text": 1}\n', 'txt', 'text')).records).toEqual(['{"text": 1}']);
  });

  it('in rows of one word is read as sentences', async () => {
    expect((await read('Ben\nran\n\nAnn\nsaw\n', 'txt')).records).toEqual(['Ben|ran', 'Ann|saw']);
  });
});

describe('records that do not fit', () => {
  it('are counted, and the others labelled', async () => {
    const wrong = { text: 'Ann', spans: [object(0, 9, 'PER')] };
    const content = inLines([labelled('spans', object)[0], wrong, labelled('spans', object)[1]]);
    const { records, logged } = await read(content, 'jsonl');
    expect(records).toEqual(texts);
    expect(logged.join('\n')).toMatch(/r\d+\.jsonl:2: .*\n.*1 bad record .* cannot be labelled/);
  });

  it('have no tags of another task proposed', async () => {
    const { tags, logged } = await read('Ben NNP\nran VBD\n\nAnn NNP\nsat VBD\n', 'conll');
    expect(tags.join(' ')).not.toMatch(/NNP|VBD/);
    expect(logged.join('\n')).toMatch(
      /record 1 has tags that are not labels of this task, such as NNP/,
    );
  });
});
