import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import type { TaggingOptions } from '../../../../../src/runtime/pipeline/tagging/tagging-options.js';
import { isNightly } from '../../../../house/long-forms.js';
import { fuzzedModel } from './fuzzed-model.js';
import { expectSame } from './same-either-way.js';

/** Records of each row. */
const count = isNightly ? 10_000 : 250;

const words = ['The', 'dog', 'Mr.', 'Öl', '😀', "don't", '"', 'a\\b', '3.5', '.', 'U/V'];
const tags = ['B-PER', 'I-PER', 'O', 'B-LOC', 'O', 'I-LOC'];
const templates = 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%lower[1,0]';
const modelFor = (withColumn: boolean) => fuzzedModel({ words, tags, templates }, withColumn);

/** Lines of other programs: fields of all names that mean something to a tagger, with what they mean and with other things. */
function linesOf(random: Random, lines: number): string {
  const below = (most: number) => random.below(most);
  const pick = <T>(items: readonly T[]) => items[below(items.length)]!;
  const some = <T>(items: readonly T[], length: number) =>
    Array.from({ length }, () => pick(items));
  const text = () => {
    const usual = JSON.stringify(some(words, below(8)).join(' '));
    return below(8) > 0 ? usual : usual.replace('d', '\\u0064');
  };
  const nested = () =>
    pick([
      () => `{"message":${text()}}`,
      () => `{ "level" : 1.0, "message" : ${text()} , "x":{"message":2}}`,
      () => `{"message":{"text":${text()},"n":[{}]},"\\u0061":1}`,
      () => `{"message":null}`,
      () => `{"message":${text()},"message":${text()}}`,
      () => '{}',
      () => '"down"',
      () => '[1,{"message":"x"}]',
    ])();
  const other = () =>
    pick(['["app","login"]', '17', '"x"', '{"a":1e400}', 'null', 'true', '[]', '[[0,1]]']);
  const record = () => {
    const length = below(5);
    const members: string[] = [];
    const maybe = (oneIn: number, member: () => string) => {
      if (below(oneIn) === 0) members.splice(below(members.length + 1), 0, member());
    };
    maybe(2, () => `"text":${text()}`);
    maybe(2, () => `"message":${text()}`);
    maybe(3, () => `"log":${nested()}`);
    maybe(12, () => `"log.message":${pick([text(), 'null', '3'])}`);
    maybe(12, () => `"log":${nested()}`);
    maybe(3, () => `"id":${pick(['1', '"x"', 'null', '{}'])}`);
    maybe(4, () => `"tokens":${JSON.stringify(some(words, length))}`);
    for (const name of ['tags', 'gold', 'tokens', 'offsets', 'sentences', 'columns', 'score']) {
      maybe(12, () => `"${name}":${other()}`);
    }
    maybe(12, () => `"tags":${JSON.stringify(some(tags, length))}`);
    maybe(12, () => `"spans":${pick([other(), '[{"label":"X","start":0,"end":1,"text":"a"}]'])}`);
    maybe(12, () => `"nbest":${other()}`);
    maybe(12, () => `"_model":${other()}`);
    maybe(12, () => `"constraints":${pick(['{"0":["O"]}', '"none"', '{}'])}`);
    maybe(
      8,
      () =>
        `"nlp":${pick(['{}', '{ "n" : 1.0 }', '{"tags":[1],"x":2,"error":3}', 'null', '"x"', '[]'])}`,
    );
    maybe(12, () => `"mess\\u0061ge":${text()}`);
    maybe(3, () => `"trace":${other()}`);
    return `${pick(['', '', ' '])}{${members.join(pick([',', ', ', ' ,']))}}${pick(['', '', ' \r'])}`;
  };
  const line = () => {
    const json = record();
    if (below(15) > 0) return json;
    const at = below(json.length);
    return pick(['', ' ', json.slice(0, at), json.slice(0, at) + json.slice(at + 1), 'null', '[]']);
  };
  return Array.from({ length: lines }, () => `${line()}\n`).join('');
}

const results = { marginals: true, probability: true, nbest: 3, spanProbabilities: true };
const asked: readonly [string, Partial<TaggingOptions>][] = [
  ['records', {}],
  ['the tags alone', { output: 'tags' }],
  ['all results', { ...results, scores: true, modelId: 'm' }],
];
const fields: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { textField: 'message' },
  { textField: 'log.message' },
  { textField: 'log.message.text' },
  { into: 'nlp' },
  { textField: 'message', into: 'nlp' },
  { textField: 'log.message', into: 'n"lp' },
  { textField: 'id', into: 'nlp' },
  { textField: 'id.x' },
  { into: 'id' },
  { into: 'tags' },
  { textField: 'message', tag: 'pos' },
];

describe.each(fields.map(options => ({ options, name: JSON.stringify(options) })))(
  'fields of others, with $name',
  ({ options: chosen }) => {
    it.each(asked)('come out as record by record: %s', { tags: 'slow' }, async (_, given) => {
      for (const withColumn of [false, true]) {
        const options: TaggingOptions = { output: 'record', ...given };
        const format = { name: 'ndjson', options: chosen };
        const random = new Random(11);
        const texts = Array.from({ length: count / 250 }, () => linesOf(random, 250));
        const bad = await expectSame(modelFor(withColumn), format, options, texts);
        expect(bad).toBeGreaterThan(0);
      }
    });
  },
);
