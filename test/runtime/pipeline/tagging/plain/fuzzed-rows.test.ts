import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import type { TaggingOptions } from '../../../../../src/runtime/pipeline/tagging/tagging-options.js';
import { everyNth } from '../../../../house/long-forms.js';
import { fuzzedModel } from './fuzzed-model.js';
import { expectSame } from './same-either-way.js';

/** Sentences of each row: so many in the long form. */
const count = process.env.TAGSTREAM_FULL === undefined ? 100 : 10_000;

const words = ['The', 'dog', 'Öl', '😀', 'e\u0301', '#', '_', '"', 'a\\b', '\u00a0'];
const tags = ['B-PER', 'I-PER', 'O', 'B-A B'];

const templates = 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]';
const modelFor = (withColumn: boolean) => fuzzedModel({ words, tags, templates }, withColumn);

interface Layout {
  readonly columns: readonly string[];
  readonly separator?: 'tab';
  readonly tagOptional?: boolean;
}

/** Sentences in columns, some of them with rows that are not plain, or wrong. */
function sentencesOf(random: Random, sentences: number, layout: Layout): string {
  const below = (most: number) => random.below(most);
  const pick = <T>(items: readonly T[]) => items[below(items.length)]!;
  const { columns, separator, tagOptional } = layout;
  const sentence = () => {
    const isTagged = below(2) === 0;
    const isOdd = below(6) === 0;
    const row = () => {
      const names = tagOptional === true && !isTagged ? columns.slice(0, -1) : columns;
      const cells = names.map(name =>
        name === 'tag' ? (isTagged ? pick(['O', 'B-PER']) : '_') : pick(words),
      );
      if (isOdd && below(8) === 0) cells.push(...cells.slice(0, below(2)));
      if (isOdd && cells.length > 1 && below(12) === 0) cells.pop();
      // An empty token or tag is a fault of the record; other columns may be empty.
      if (isOdd && below(12) === 0) cells[below(cells.length)] = pick(['', ' ', '_']);
      const between = () => {
        if (separator === 'tab') return '\t';
        return isOdd ? pick([' ', ' ', '  ', '\t', ' \t']) : ' ';
      };
      const text = cells.reduce((all, cell) => `${all}${between()}${cell}`);
      if (!isOdd) return text;
      return pick(['', '', '', ' ', '\t']) + text + pick(['', '', '', ' ', '\t', '\r']);
    };
    const length = below(50) === 0 ? 5000 : 1 + below(8);
    const rows = Array.from({ length }, row);
    if (isOdd && below(4) === 0) rows.unshift('-DOCSTART- O', ...(below(2) === 0 ? [''] : []));
    const end = pick(['\n', '\n', '\n\n', ' \n', '\t\r\n']);
    return `${rows.join('\n')}\n${end}`;
  };
  return Array.from({ length: sentences }, sentence).join('');
}

const layouts: readonly [string, Layout][] = [
  ['a word and a tag', { columns: ['form', 'tag'] }],
  ['three columns', { columns: ['form', 'pos', 'tag'] }],
  ['a tag that may be left out', { columns: ['form', 'pos', 'tag'], tagOptional: true }],
  ['tabs', { columns: ['pos', 'form', 'tag'], separator: 'tab', tagOptional: true }],
  ['words alone', { columns: ['form'] }],
  ['a column that is passed over', { columns: ['form', '_', 'tag'], tagOptional: true }],
  ['a tag in the middle', { columns: ['form', 'tag', 'pos'] }],
];

describe.each(layouts)('%s', (_, layout) => {
  for (const { rows, tags } of everyNth(5, ['viterbi', 'posterior'] as const)) {
    it.each(rows)('comes out as sentence by sentence (%s)', { tags }, async decoding => {
      const model = modelFor(layout.columns.includes('pos'));
      const options: TaggingOptions = { output: 'record', decoding };
      const random = new Random(7);
      const texts = Array.from({ length: count / 100 }, () => sentencesOf(random, 100, layout));
      const bad = await expectSame(
        model,
        { name: 'conll', options: { ...layout } },
        options,
        texts,
      );
      expect(bad).toBeGreaterThan(0);
      expect(bad).toBeLessThan(count / 2);
    });
  }
});

it.each<[string, Partial<TaggingOptions>]>([
  ['of sequences', { probability: true }],
  ['of tags', { probability: true, marginals: true }],
  ['of all tags', { marginals: 'all' }],
  ['of the best sequences', { nbest: 3, marginals: 'all' }],
])('writes probabilities %s as sentence by sentence', { tags: 'slow' }, async (_, results) => {
  for (const [, layout] of layouts) {
    const model = modelFor(layout.columns.includes('pos'));
    const options: TaggingOptions = { output: 'record', ...results };
    const random = new Random(7);
    const texts = [sentencesOf(random, count / 5, layout)];
    await expectSame(model, { name: 'conll', options: { ...layout } }, options, texts);
  }
});

it('leaves blocks with byte order marks at the beginning of lines to those who know them', async () => {
  const format = { name: 'conll', options: { columns: ['form', 'tag'] } };
  const options: TaggingOptions = { output: 'record' };
  await expectSame(modelFor(false), format, options, [
    '\ufeffThe O\n\ndog O\n\n',
    'The O\n\n\ufeffdog O\n\ufeff\nThe O\n\n',
    'The O\n\n',
  ]);
});

it('leaves rows without a tag and with an empty cell to the way sentence by sentence, which refuses an empty token', async () => {
  const layout: Layout = { columns: ['pos', 'form', 'tag'], separator: 'tab', tagOptional: true };
  const texts = ['N\tdog\n\tÖl \n\n', '\tdog\tO\n\n', '\t\tO\n\n'];
  const options: TaggingOptions = { output: 'record' };
  const format = { name: 'conll', options: { ...layout } };
  expect(await expectSame(modelFor(true), format, options, texts)).toBe(1);
});
