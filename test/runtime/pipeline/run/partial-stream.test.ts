import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { from, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Scores } from '../../../../src/engine/core/training/training-step.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { ProgressiveScores } from '../../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { evaluateProgressive } from '../../../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { tokenize } from '../../../../src/engine/operators/tokenize.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { dryRun } from '../../../../src/runtime/pipeline/run/dry-run/dry-run.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();

const learning = (source: string, only: string, sentences = 1) => `version: 1
name: partial
source: { ${source} }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: { sentences: ${sentences} }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.5, schedule: constant } }
  - evaluate: { progressive: true, report: 1 }
  - tag: {}
train: { corpusSize: 100 }
model: out.model
sink: { file: out.txt, only: ${only} }
`;

const records: readonly (Document & { readonly given: string })[] = [
  { id: 'whole', tags: ['B-X', 'I-X', 'O'] },
  { id: 'one', partialTags: ['B-X', null, null] },
  { id: 'open', partialTags: [null, null, null] },
  { id: 'sets', partialTags: [null, ['B-X', 'O'], null] },
  { id: 'none' },
  { id: 'set of one', partialTags: [['B-X'], ['O'], null] },
  { id: 'sets of one', partialTags: [['B-X'], ['I-X'], 'O'] },
].map(({ id, ...known }) => {
  const { tags, partialTags } = known as Partial<Document>;
  const tokens = ['a', 'dog', '.'];
  return { id, tokens, ...known, given: JSON.stringify({ id, tokens, tags: tags ?? partialTags }) };
});
const lines = records.map(({ given }) => `${given}\n`).join('');

/** Runs a pipeline on a text. Returns what it wrote, and the scores after each step. */
async function run(name: string, text: string, input: string, dry = false) {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'in.txt'), input);
  const reported: Scores[] = [];
  const events = { onProgress: (_: unknown, all: Scores) => reported.push(all) };
  const pipeline = parsePipeline(text, join(place, 'p.yaml'));
  if (dry)
    return {
      first: (await dryRun(pipeline, { limit: 10, deadLetters: { policy: 'fail' } })).firstOutput,
      reported,
    };
  await runPipeline(pipeline, { deadLetters: new DeadLetters({ policy: 'fail' }), events });
  return { written: readFileSync(join(place, 'out.txt'), 'utf8'), reported };
}

describe('the sink of a stream with partially labelled records', () => {
  const ids = (text: string) =>
    text
      .trim()
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line).id);

  for (const { rows, tags } of everyNth(3, [
    ['all', records.map(({ id }) => id)],
    ['unlabelled', ['open', 'none']],
    ['partial', ['one', 'sets', 'set of one']],
    ['[partial]', ['one', 'sets', 'set of one']],
    ['[unlabelled, partial]', ['one', 'open', 'sets', 'none', 'set of one']],
  ])) {
    it.each(rows)(
      'writes with only: %s what it names, in a dry run too',
      { tags },
      async (only, expected) => {
        for (const sentences of [1, 3]) {
          const text = learning('ndjson: { files: [in.txt] }', only, sentences);
          const { written } = await run(`ndjson ${only} ${sentences}`, text, lines);
          expect(ids(written!)).toEqual(expected);
          const { first } = await run(`dry ${only} ${sentences}`, text, lines, true);
          expect(first).toBe(written!.slice(0, written!.indexOf('\n') + 1));
        }
      },
    );
  }

  it('looks at all sentences of a record', async () => {
    const sentences = [
      [0, 1],
      [1, 2],
    ];
    const two = [
      ['O', 'O'],
      ['O', null],
      [null, null],
    ]
      .map((tags, i) => `${JSON.stringify({ id: `${i}`, tokens: ['a', 'b'], sentences, tags })}\n`)
      .join('');
    const of = (only: string) => learning('ndjson: { files: [in.txt] }', only);
    const partial = await run('sentences', of('partial'), two);
    expect(ids(partial.written!)).toEqual(['1']);
    const open = await run('sentences', of('unlabelled'), two);
    expect(ids(open.written!)).toEqual(['2']);
    // The sentence that is labelled counts.
    expect(partial.reported.at(-1)).toMatchObject({ sentences: 3, tokens: 3 });
  });

  it('does the same with rows in columns, and with spans that do not fit the tokens', async () => {
    const conll = 'a B-X\ndog O\n\nb ?\ndog O\n\nc ?\ndog ?\n\n';
    const of = (only: string) =>
      learning('conll: { files: [in.txt], columns: [form, tag], unknown: "?" }', only);
    const partial = await run('conll', of('partial'), conll);
    expect(partial.written).toMatch(/^b /);
    expect(partial.written).not.toContain('c ');
    const open = await run('conll', of('unlabelled'), conll);
    expect(open.written).toMatch(/^c /);
    const doccano = [[[0, 3, 'X']], [[0, 2, 'X']], []]
      .map((label, i) => `${JSON.stringify({ id: i, text: 'Ann is', label })}\n`)
      .join('');
    const source = 'doccano: { files: [in.txt], misaligned: unknown }';
    const spans = await run('doccano', learning(source, 'partial'), doccano);
    expect(ids(spans.written!)).toEqual([1]);
    expect((await run('doccano', learning(source, 'unlabelled'), doccano)).written).toBe('');
    expect(spans.reported.at(-1)).toMatchObject({ sentences: 3, tokens: 5 });
  });

  it.each([
    ['unlabeled', 'there is no "unlabeled": did you mean unlabelled?'],
    ['[all]', 'there is no "all": known: unlabelled, partial'],
    ['[]', 'expected a list of at least 1 item'],
    ['{ partial: true }', 'expected a list'],
  ])('refuses only: %s', (only, problem) => {
    const text = learning('ndjson: { files: [in.txt] }', only);
    expect(() => parsePipeline(text, join(folder, 'p.yaml'))).toThrow(problem);
  });
});

it('operators give the progressive scores of the file', async () => {
  const { reported } = await run(
    'scores',
    learning('ndjson: { files: [in.txt] }', 'all'),
    lines.repeat(5),
  );
  const model = createModel({ templates: 'U0:%x[0,0]\nB' });
  const options = { eta0: 0.1, l2: 0.5, schedule: 'constant' } as const;
  const learner = createOnlineLearner(model, {
    loss: logLoss,
    optimizer: sgd,
    options,
    corpusSize: 100,
  });
  const progress = new ProgressiveScores({ spanScheme: true });
  const corpus = Array.from({ length: 5 }, () => records).flat();
  const documents = corpus.map(({ given: _, ...document }) => document);
  const last = await lastValueFrom(
    from(documents).pipe(
      tokenize(),
      featurize(model),
      batch({ sentences: 1 }),
      contribute(learner, { predict: true }),
      optimize(learner),
      evaluateProgressive(model, progress),
    ),
  );
  expect(last.scores).toEqual(reported.at(-1));
  // Wholly labelled: 3 tokens, twice; 1 and 2 of the partially labelled ones.
  expect(last.scores).toMatchObject({ sentences: 5 * 4, tokens: 5 * (3 + 1 + 2 + 3) });
});
