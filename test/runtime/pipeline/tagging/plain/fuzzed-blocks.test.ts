import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import type { TaggingOptions } from '../../../../../src/runtime/pipeline/tagging/tagging-options.js';
import { isNightly } from '../../../../house/long-forms.js';
import { fuzzedModel } from './fuzzed-model.js';
import { expectSame } from './same-either-way.js';

/** Records of each row. */
const count = isNightly ? 10_000 : 250;

const words = ['The', 'dog', 'Mr.', 'Öl', '😀', 'e\u0301', "don't", '"', 'a\\b', '3.5', '.', 'U/V'];
const tags = ['B-PER', 'I-PER', 'O', 'B-LOC', 'O', 'I-LOC'];

const templates = 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%lower[1,0]';
const modelFor = (withColumn: boolean) => fuzzedModel({ words, tags, templates }, withColumn);

/** Lines that are records, records in part, or none. */
function linesOf(random: Random, lines: number): string {
  const below = (most: number) => random.below(most);
  const pick = <T>(items: readonly T[]) => items[below(items.length)]!;
  const some = <T>(items: readonly T[], length: number) =>
    Array.from({ length }, () => pick(items));
  const written = (text: string) => {
    const usual = JSON.stringify(text);
    if (below(6) > 0) return usual;
    return usual.replaceAll(/[\u0080-\uffff/]/g, unit =>
      unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  };
  const textOf = (length: number) =>
    some(words, length)
      .map(word => word + pick([' ', ' ', '  ', '', '\n', '\n\n', '. The ', '\u00a0']))
      .join('');
  const record = () => {
    const length = below(40) === 0 ? 3000 : below(12);
    const tokens = `"tokens":[${some(words, length).map(written).join(',')}]`;
    const members: string[] = [];
    const isText = below(2) === 0;
    if (!isText || below(30) === 0) members.push(tokens);
    if (isText || below(8) === 0) members.push(`"text":${written(textOf(length))}`);
    const maybe = (oneIn: number, text: () => string) => {
      if (below(oneIn) === 0) members.splice(below(members.length + 1), 0, text());
    };
    maybe(2, () => `"id":${pick(['1', '"x"', 'null', '1.0e1'])}`);
    maybe(2, () => `"columns":{"pos":${JSON.stringify(some(['N', 'é'], length))}}`);
    maybe(6, () => `"tags":${JSON.stringify(some(tags, length))}`);
    maybe(9, () => `"gold":${JSON.stringify(some(tags, length))}`);
    // Some of these are blank, which no label is.
    maybe(20, () => `"tags":[${some(['"O"', '"\\""', '""', '" "', '"\\t"', '" B"'], length)}]`);
    maybe(9, () => pick(['"spans":[]', '"score":1', '"offsets":null', '"sentences":[[0,1]]']));
    maybe(9, () => pick(['"x":{"y":[1,"\\u0000"]}', '"constraints":{"0":"O"}', '"tags":null']));
    return `${pick(['', '', ' '])}{${members.join(pick([',', ', ']))}}${pick(['', '', ' \r', '\r\r'])}`;
  };
  const line = () => {
    const text = record();
    if (below(12) > 0) return text;
    const at = below(text.length);
    return pick(['', ' ', text.slice(0, at), text.slice(0, at) + text.slice(at + 1), 'null', '[]']);
  };
  return Array.from({ length: lines }, () => `${line()}\n`).join('');
}

const results = { marginals: true, probability: true, nbest: 3, spanProbabilities: true };
const rows: readonly [string, Partial<TaggingOptions>][] = [
  ['records', {}],
  ['the tags alone', { output: 'tags' }],
  ['all results', { ...results, scores: true }],
  ['pairs of tags', { marginals: 'pairs', nbest: 2 }],
  ['all pairs of tags', { marginals: 'pairs', pairThreshold: 0, decoding: 'posterior' }],
  ['posterior decoding', { decoding: 'posterior', marginals: true }],
  ['any transitions', { transitions: 'any', scores: true }],
  ['a dictionary', { dictionary: [['dog', ['B-LOC', 'O']]] }],
];

describe.each(rows)('%s', (_, given) => {
  it.each([false, true])(
    'come out as record by record (with a column: %s)',
    { tags: 'slow' },
    async withColumn => {
      const model = modelFor(withColumn);
      const options: TaggingOptions = { output: 'record', ...given };
      const format = { name: 'ndjson', options: {} };
      const random = new Random(7);
      const texts = Array.from({ length: count / 250 }, () => linesOf(random, 250));
      const bad = await expectSame(model, format, options, texts);
      expect(bad).toBeGreaterThan(count / 15);
      expect(bad).toBeLessThan(0.8 * count);
    },
  );
});

it('tags a text of more tokens than are usually found at a time as record by record', {
  tags: 'slow',
}, async () => {
  const text = 'The dog saw Mr. Öl.\n\n'.repeat(3000);
  const texts = [`${JSON.stringify({ id: 1, text })}\n${JSON.stringify({ id: 2, text: 'dog' })}\n`];
  const format = { name: 'ndjson', options: {} };
  expect(await expectSame(modelFor(false), format, { output: 'record' }, texts)).toBe(0);
});
