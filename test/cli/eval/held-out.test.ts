import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const data = join(folder, 'train.ndjson');
const test = `test: { ndjson: { files: [train.ndjson], split: { every: 10, take: [9] } } }\n`;
let pipeline = '';

beforeAll(async () => {
  pipeline = toyPipeline(folder, 60, test);
  const text = readFileSync(pipeline, 'utf8');
  const part = 'files: [train.ndjson], split: { every: 10, except: [9] }';
  writeFileSync(pipeline, text.replace('files: [train.ndjson]', part));
  await trainHere(pipeline);
});

const run = (...given: string[]) => tagstream(['eval', ...given]);
const scoresOf = (stdout: string) =>
  JSON.parse(stdout) as { sentences: number; skipped: number; accuracy: number };

describe('eval of a pipeline', () => {
  it('scores its held-out part with its model, as the same part of the file', {
    tags: 'slow',
  }, async () => {
    const own = await run(pipeline, '--json');
    expect([own.code, own.stderr]).toEqual([0, '']);
    expect(scoresOf(own.stdout)).toMatchObject({ sentences: 6, skipped: 0 });
    const format = 'ndjson:{split: {every: 10, take: [9]}}';
    const part = await run(data, '--model', model, '--format', format, '--json');
    expect(part).toEqual(own);
  });

  it('needs held-out data, and another file needs a model', async () => {
    const without = join(folder, 'without.yaml');
    writeFileSync(without, readFileSync(pipeline, 'utf8').replace(test, ''));
    const outcome = await run(without);
    expect(outcome.code).toBe(78);
    expect(outcome.stderr).toContain(
      'the pipeline has no held-out data to score on (add the section test',
    );
    expect((await run(data)).stderr).toContain('--model is missing');
  });

  it('takes the training part of a pipeline for its words', async () => {
    const { stdout } = await run(pipeline, '--train', pipeline);
    expect(stdout).toContain('unseen words: accuracy');
  });
});

describe('eval of a file', () => {
  it('warns where it was trained on', { tags: 'slow' }, async () => {
    const { stdout, stderr } = await run(data, '--model', model);
    expect(stdout).toMatch(/^60 sentences/);
    expect(stderr).toContain('train.ndjson has sentences that the model was trained on');
    const copy = join(folder, 'other-name.ndjson');
    writeFileSync(copy, readFileSync(data));
    expect((await run(copy, '--model', model)).stderr).toContain('was trained on');
    writeFileSync(copy, readFileSync(data, 'utf8').split('\n').slice(4).join('\n'));
    expect((await run(copy, '--model', model)).stderr).toBe('');
  });

  it('heeds limit, and refuses what has no effect', async () => {
    const few = await run(data, '--model', model, '--format', 'ndjson:{limit: 4}', '--json');
    expect(scoresOf(few.stdout).sentences).toBe(4);
    const files = await run(data, '--model', model, '--format', 'ndjson:{files: [a]}');
    expect([files.code, files.stdout]).toEqual([2, '']);
    expect(files.stderr).toContain('files has no effect here');
    const limited = await tagstream([
      'tag',
      '--model',
      model,
      '--format',
      'ndjson:{limit: 2}',
      data,
    ]);
    expect([limited.code, limited.stdout]).toEqual([2, '']);
  });
});

describe('records that are not fully labelled', () => {
  const partly = join(folder, 'partly.ndjson');
  const [first, ...rest] = toyRecords(20);
  const partial = rest.map(line => line.replace(/"tags":\["[A-Z]+"/, '"tags":[null'));

  it('are counted beside the scores of the others, in text, JSON and HTML', {
    tags: 'slow',
  }, async () => {
    writeFileSync(partly, [first, ...partial].join('\n'));
    const page = join(folder, 'page.html');
    const { stdout } = await run(partly, '--model', model, '--html', page);
    expect(stdout).toMatch(/^1 sentence, \d tokens, 19 skipped that are not fully labelled: /);
    expect(readFileSync(page, 'utf8')).toContain(
      '19 sentences skipped that are not fully labelled',
    );
    const { stdout: json } = await run(partly, '--model', model, '--json', '--report', 'full');
    expect(scoresOf(json)).toMatchObject({ sentences: 1, skipped: 19 });
  });

  it('give no score where there are no others', async () => {
    writeFileSync(partly, partial.join('\n'));
    const { code, stdout, stderr } = await run(partly, '--model', model);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('no sentence can be scored: none of 19 has a gold tag for each token');
  });

  it('are counted by train, which gives no figures of none', { tags: 'slow' }, async () => {
    const train = async (lines: readonly (string | undefined)[], ...given: string[]) => {
      writeFileSync(partly, lines.join('\n'));
      const set = ['--set', 'test={ndjson: {files: [partly.ndjson]}}'];
      const stages =
        'stages=[{featurize: {preset: pos}}, {batch: {}}, {contribute: {loss: log}}, {optimize: {sgd: {}}}, {evaluate: {on: {ndjson: {files: [partly.ndjson]}}}}]';
      return tagstream([
        'train',
        pipeline,
        ...set,
        '--set',
        stages,
        ...given,
        '--model',
        `${model}2`,
      ]);
    };
    const one = await train([first, ...partial]);
    const some = /accuracy \d+\.\d\d % of 1 sentence, 19 skipped that are not fully labelled/;
    expect(one.stderr).toMatch(new RegExp(`pass 6/6 .*${some.source}`));
    expect(one.stderr).toMatch(new RegExp(`test: ${some.source}`));
    const none = await train(partial);
    expect(none.stderr).toMatch(/pass 6\/6 .*no sentence can be scored, 19 skipped/);
    expect(none.stderr).toMatch(/test: no sentence can be scored, 19 skipped/);
    const json = await train(partial, '--json');
    expect((JSON.parse(json.stdout) as { test: object }).test).toEqual({
      ...{ sentences: 0, tokens: 0, skipped: 19 },
    });
    const stops = await train(partial, '--set', 'stages.evaluate.patience=2');
    expect(stops.code).toBe(78);
    expect(stops.stderr).toContain('patience needs scores, but no sentence');
  });
});
