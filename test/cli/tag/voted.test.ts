import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { ModelSummary } from '../../../src/engine/models/inspection/model-summary.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { smallCorpus } from '../../engine/optimizers/small-corpus.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const model = at('voted.model');
const shape = { labels: 3, words: 20, longest: 6 };
const corpora = { train: new Random(1), held: new Random(2), test: new Random(3) };
for (const [name, random] of Object.entries(corpora)) {
  const records = smallCorpus(random, 120, shape).map(({ tokens, tags }, id) =>
    JSON.stringify({ id: String(id), tokens, tags }),
  );
  writeFileSync(at(`${name}.ndjson`), records.join('\n'));
}
const unlabelled = readFileSync(at('test.ndjson'), 'utf8').replace(/,"tags":\[[^\]]*\]/g, '');
const records = unlabelled.split('\n').map(line => JSON.parse(line) as { tokens: string[] });

writeFileSync(
  at('voted.yaml'),
  `version: 1
name: voted
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: perceptron }
  - optimize: { voted-perceptron: { voters: 30 } }
  - evaluate: { on: { ndjson: { files: [held.ndjson] } } }
train: { epochs: 3, seed: 2 }
model: voted.model
test: { ndjson: { files: [test.ndjson] } }
`,
);

interface Trained {
  readonly test: { readonly accuracy: number };
}

let trained: Trained;
let tagger: Tagger;

beforeAll(async () => {
  const { stdout, stderr, code } = await tagstream(['train', at('voted.yaml'), '--json']);
  expect(code, stderr).toBe(0);
  trained = JSON.parse(stdout) as Trained;
  tagger = Tagger.fromBytes(readFileSync(model));
});

const tag = (...given: string[]) =>
  tagstream(['tag', '--model', model, ...given], { stdin: unlabelled });

async function summary(): Promise<ModelSummary> {
  const { stdout } = await tagstream(['inspect', model, '--json']);
  return JSON.parse(stdout) as ModelSummary;
}

/** Accuracy of tags against the gold ones of a file, in percent. */
function accuracyOf(
  name: string,
  tagsOf: (tokens: readonly string[]) => readonly string[],
): number {
  const gold = readFileSync(at(`${name}.ndjson`), 'utf8')
    .split('\n')
    .map(line => JSON.parse(line) as { tokens: string[]; tags: string[] });
  const right = gold.flatMap(({ tokens, tags }) => tagsOf(tokens).map((own, t) => own === tags[t]));
  return (100 * right.filter(Boolean).length) / right.length;
}

describe('a voted model', () => {
  it('is scored by its votes while it is trained, in the end, and by eval', {
    tags: 'slow',
  }, async () => {
    const votes = (tokens: readonly string[]) => tagger.tag(tokens);
    const average = new Tagger(Tagger.fromBytes(readFileSync(model)).model);
    average.model.parameters.voters = undefined;
    const test = accuracyOf('test', votes);
    expect(trained.test.accuracy).toBeCloseTo(test, 8);
    const { history } = await summary();
    expect(history.at(-1)!.scores!.accuracy).toBeCloseTo(accuracyOf('held', votes), 8);
    expect(accuracyOf('test', tokens => average.tag(tokens))).not.toBeCloseTo(test, 8);
    const { stdout } = await tagstream(['eval', '--model', model, at('test.ndjson'), '--json']);
    expect((JSON.parse(stdout) as Trained['test']).accuracy).toBeCloseTo(test, 8);
  });

  it('tags by votes as a stream, in blocks, and in several threads', async () => {
    const expected = records.map(({ tokens }) => tagger.tag(tokens));
    const [stream, blocks, two] = await Promise.all([
      tag(),
      tag('--output', 'tags'),
      tag('--workers', '2', '--output', 'tags'),
    ]);
    for (const { stdout, code, stderr } of [stream, blocks, two]) {
      expect(code, stderr).toBe(0);
      const tags = stdout
        .trim()
        .split('\n')
        .map(line => (JSON.parse(line) as { tags: string[] }).tags);
      expect(tags).toEqual(expected);
    }
    expect(two.stdout).toBe(blocks.stdout);
  });

  it('reports votes as scores, and their shares as probabilities', async () => {
    const { stdout, stderr } = await tag('--nbest', '3', '--marginals', '--scores');
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
    expect(lines.length, stderr).toBe(120);
    for (const [i, line] of lines.entries()) {
      const { score, marginals, nbest } = tagger.analyze(
        records[i]!.tokens,
        {},
        { nbest: 3, marginals: true },
      );
      expect(line).toMatchObject({ score: [score], marginals, nbest: [nbest] });
    }
    const refused = await tag('--decoding', 'posterior');
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('a model of voters cannot decode by posterior');
  });

  it('is inspected with its voters, and not explained', async () => {
    const { voters } = await summary();
    expect(voters).toEqual(tagger.model.parameters.voters!.votes);
    expect(voters!.length).toBe(30);
    const text = await tagstream(['inspect', model]);
    expect(text.stdout).toMatch(/voters +30 weights with 360 votes, 1 to \d+ each/);
    const explained = await tagstream(['inspect', model, '--explain', 'w1 w2']);
    expect(explained.code).toBe(78);
    expect(explained.stderr).toContain('30 weight vectors vote on the tags of the model');
  });

  it('is trained to the same bytes by several threads', { tags: 'slow' }, async () => {
    const given = ['--workers', '2', '--model', at('two.model')];
    const { code, stderr } = await tagstream(['train', at('voted.yaml'), ...given]);
    expect(code, stderr).toBe(0);
    expect(readFileSync(at('two.model')).equals(readFileSync(model))).toBe(true);
  });

  it('is what training may start from, and resumes from weights that it is given', {
    tags: 'slow',
  }, async () => {
    for (const optimizer of ['perceptron', 'voted-perceptron']) {
      const next = at(`${optimizer}.model`);
      const given = ['--set', `stages.optimize={${optimizer}: {}}`, '--set', 'train.epochs=1'];
      const start = ['--set', 'train.start=voted.model', '--model', next, '--json'];
      const { stdout } = await tagstream(['train', at('voted.yaml'), ...given, ...start]);
      const { test } = JSON.parse(stdout) as Trained;
      const own = Tagger.fromBytes(readFileSync(next));
      const votes = own.model.parameters.voters?.votes.reduce((sum, each) => sum + each, 0);
      expect(votes).toBe(optimizer === 'perceptron' ? undefined : 120);
      expect(test.accuracy).toBeCloseTo(
        accuracyOf('test', tokens => own.tag(tokens)),
        8,
      );
    }
  });

  it.each([
    [
      ['--workers', '2', '--mode', 'hogwild'],
      'voted-perceptron cannot be combined with `mode: hogwild`',
    ],
    [['--set', 'train.threshold={below: 0.1}'], 'train.threshold'],
    [['--set', 'train.compact=true'], 'train.compact'],
  ])('is not trained with %s', async (given, message) => {
    const { code, stderr } = await tagstream(['train', at('voted.yaml'), ...given]);
    expect(code).toBe(78);
    expect(stderr).toContain(message);
  });
});
