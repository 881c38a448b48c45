import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Random } from '../../../src/engine/core/random.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';
import { longForm, reportCounts } from '../long-form.js';
import { printSeed, randomOf } from '../seed.js';

printSeed('random partial labels');

const folder = workspace();
const lines = longForm ? 40_000 : 1200;

/** What no tag is. */
const odds = [7, true, {}, [], [null], [[]], ['A', 3], { A: 1 }, '', ['A', '']];
const weights = [1, 0, 2.5, -1, 1e7, 'x', null, [], {}, true, 1e6, 1e-300];

const isLabel = (tag: unknown) => typeof tag === 'string' && tag !== '';
const isTag = (tag: unknown) =>
  tag === null || isLabel(tag) || (Array.isArray(tag) && tag.length > 0 && tag.every(isLabel));
const isWeight = (weight: unknown) =>
  weight === null || (typeof weight === 'number' && weight >= 0 && weight <= 1e6);

/** Whether a record can be learned from, or only tagged; its weight is one only if it has labels. */
function isGood({ tokens, tags, weight = null }: Record<string, unknown>): boolean {
  if (tags === undefined) return true;
  if (!Array.isArray(tags) || tags.length !== (tokens as []).length) return false;
  return tags.every(isTag) && (isWeight(weight) || tags.every(tag => tag === null));
}

/** Tags and a weight of any shape; often they are right. */
function randomRecord(random: Random, i: number): string {
  const tokens = Array.from({ length: 1 + random.below(6) }, () => `w${random.below(30)}`);
  const label = () => ['A', 'B-X', 'I-X', 'O', 'C', `late${Math.floor(i / 300)}`][random.below(6)]!;
  const odd = () => odds[random.below(odds.length)]!;
  const tag = () => {
    const kind = random.below(60);
    if (kind === 0) return odd();
    if (kind < 20) return null;
    return kind < 30 ? Array.from({ length: 1 + random.below(4) }, label) : label();
  };
  const missing = random.below(20) === 0 ? random.below(3) - 1 : 0;
  const tags = Array.from({ length: tokens.length + missing }, tag);
  const record = {
    id: String(i),
    tokens,
    ...(random.below(10) === 0 ? {} : { tags }),
    ...(random.below(3) === 0 ? { weight: weights[random.below(weights.length)] } : {}),
  };
  const text = JSON.stringify(record);
  return random.below(4) === 0 ? text.replace('"weight":1}', '"weight":1e999}') : text;
}

const text = Array.from({ length: lines }, (_, i) => randomRecord(randomOf(1000 + i), i));
writeFileSync(join(folder, 'fuzz.ndjson'), `${text.join('\n')}\n`);

it('every fault is drawn, and alone in a record', () => {
  const faults = new Set<string>();
  for (const line of text) {
    const { tokens, tags, weight } = JSON.parse(line) as Record<string, unknown[]>;
    if (tags === undefined || isGood({ tokens, tags, weight })) continue;
    const wrong = tags.filter(tag => !isTag(tag));
    if (isGood({ tokens, tags })) faults.add(`weight ${JSON.stringify(weight)}`);
    else if (tags.length !== tokens!.length) faults.add('length');
    else if (wrong.length === 1) faults.add(JSON.stringify(wrong[0]));
  }
  // 1e999 is read as Infinity, which JSON has not.
  const wrongWeights = [...weights, Number.POSITIVE_INFINITY].filter(each => !isWeight(each));
  const expected = [
    ...[...odds.map(tag => JSON.stringify(tag)), 'length'],
    ...wrongWeights.map(weight => `weight ${JSON.stringify(weight)}`),
  ];
  expect([...faults].sort()).toEqual(expected.sort());
});

const stages = (loss: string, optimizer: string, more = '') => `version: 1
name: fuzz
source: { ndjson: { files: [fuzz.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B", "B0:%x[0,0]"] }
  - batch: { sentences: 3 }
  - contribute: { loss: ${loss} }
  - optimize: { ${optimizer} }
${more}`;

for (const part of everyNth(3, [
  ['log', 'sgd: { eta0: 0.1, schedule: constant }'],
  ['log', 'sgd-l1: {}'],
  ['perceptron', 'perceptron: { average: false }'],
])) {
  it.each(part.rows)(
    'each line is learned from and tagged, or rejected: %s, %s',
    { tags: part.tags },
    async (loss, optimizer) => {
      const pipeline = `${stages(loss, optimizer, '  - tag: {}\n')}train: { corpusSize: 1000 }
sink: { file: out.ndjson }
`;
      const deadLetters = new DeadLetters({ policy: 'skip' });
      const { records } = await runPipeline(parsePipeline(pipeline, join(folder, 'p.yaml')), {
        deadLetters,
      });
      expect(records + deadLetters.total).toBe(lines);
      const out = readFileSync(join(folder, 'out.ndjson'), 'utf8').trim().split('\n');
      expect(out).toHaveLength(records);
      const good = text.flatMap(line => (isGood(JSON.parse(line)) ? [JSON.parse(line).id] : []));
      expect(out.map(line => JSON.parse(line).id)).toEqual(good);
      for (const line of out) {
        const record = JSON.parse(line);
        const own = JSON.parse(text[Number(record.id)]!);
        expect(record.tags).toHaveLength(record.tokens.length);
        expect([record.gold, record.weight]).toEqual([own.tags, own.weight]);
        expect(record.tags.every((tag: unknown) => typeof tag === 'string')).toBe(true);
      }
      expect(Object.keys(deadLetters.counts).sort()).toEqual(
        expect.arrayContaining(['length-mismatch', 'wrong-shape']),
      );
      expect(deadLetters.total).toBeLessThan(lines / 3);
      reportCounts(`partial tags, ${loss}`, { lines, tagged: records, ...deadLetters.counts });
    },
  );
}

it('each line is in the corpus, unlabelled or rejected', async () => {
  const pipeline = `${stages('log', 'sgd: {}')}train: { epochs: 1, seed: 1 }
model: fuzz.model
`;
  const deadLetters = new DeadLetters({ policy: 'skip' });
  let corpus = 0;
  await runPipeline(parsePipeline(pipeline, join(folder, 'q.yaml')), {
    deadLetters,
    events: {
      onCorpus: size => {
        corpus = size;
      },
    },
  });
  const good = (line: string) => {
    const { tags } = JSON.parse(line);
    return Array.isArray(tags) && tags.some(tag => tag !== null);
  };
  const labelled = text.filter(good).length;
  expect(corpus).toBeLessThanOrEqual(labelled);
  expect(corpus).toBeGreaterThanOrEqual(labelled - deadLetters.total);
  expect(readFileSync(join(folder, 'fuzz.model')).length).toBeGreaterThan(1000);
});
