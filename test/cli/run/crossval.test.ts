import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CrossValidation } from '../../../src/engine/metrics/evaluation/cross-validation.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { trainFold } from '../../../src/runtime/pipeline/run/folds/train-fold.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 43);
const crossval = (...given: string[]) =>
  tagstream(['crossval', pipeline, '--set', 'train.epochs=1', ...given]);
const resultOf = (stdout: string) => JSON.parse(stdout) as CrossValidation;

describe('tagstream crossval', () => {
  it('tags each record by a model of the others, and scores what was tagged', {
    tags: 'slow',
  }, async () => {
    // Each word is in one record, so that only a model of this record knows its tag.
    const words = Array.from({ length: 24 }, (_, i) => `w${i}`);
    const tagOf = (word: string) => `T${Number(word.slice(1)) % 3}`;
    const records = words.map(word => JSON.stringify({ tokens: [word], tags: [tagOf(word)] }));
    writeFileSync(join(folder, 'apart.ndjson'), records.join('\n'));
    const set = ['source.ndjson.files=[apart.ndjson]'];
    const apart = loadPipeline(pipeline, { set });
    const all: string[] = [];
    const accuracies: number[] = [];
    for (const fold of [0, 1, 2, 3]) {
      const { tagged, scores } = (await trainFold(apart, { fold, of: 4, seed: 1, run: 1 }))!;
      all.push(...tagged.flatMap(({ tokens }) => tokens));
      for (const { tokens, gold } of tagged) expect(gold).toEqual(tokens.map(tagOf));
      // Words that it does not know all get the same tag.
      expect(new Set(tagged.flatMap(({ tags }) => tags)).size).toBe(1);
      const right = tagged.filter(({ tokens, tags }) => tags[0] === tagOf(tokens[0]!)).length;
      expect(scores).toMatchObject({ sentences: 6, accuracy: (100 * right) / 6 });
      accuracies.push(scores.accuracy!);
    }
    expect(all.toSorted()).toEqual(words.toSorted());
    const { stdout } = await tagstream([
      'crossval',
      pipeline,
      '--set',
      ...set,
      '--folds',
      '4',
      '--json',
    ]);
    const { folds, pooled } = resultOf(stdout);
    expect(folds.map(({ accuracy }) => accuracy)).toEqual(accuracies);
    expect(pooled).toMatchObject({ sentences: 24, skipped: 0 });
    expect(pooled.accuracy).toBeCloseTo(accuracies.reduce((sum, each) => sum + each, 0) / 4, 10);
  });

  it('scores each record once, and prints folds, mean, deviation and labels', async () => {
    const { code, stdout, stderr } = await crossval('--folds', '4', '--report', 'full');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^fold 1\/4: accuracy .* of 1[01] sentences\nfold 2\/4/);
    expect(stdout).toMatch(/^fold +sentences +skipped +accuracy\n1 /);
    expect(stdout).toMatch(/\nmean .*\ndeviation .*\npooled +43 +0 /);
    expect(stdout).toMatch(/\nlabel +gold +folds +mean F1 +deviation +pooled F1\nADJ /);
    expect(stdout).toContain('tokens by tag');
    expect(existsSync(join(folder, 'toy.model'))).toBe(false);
  });

  it('gives the same figures for the same seed, in threads too, and others for another', {
    tags: 'slow',
  }, async () => {
    const page = join(folder, 'folds.html');
    const [one, two, other] = await Promise.all([
      crossval('--folds', '4', '--json'),
      crossval('--folds', '4', '--json', '--workers', '2', '--html', page),
      crossval('--folds', '4', '--json', '--seed', '2'),
    ]);
    expect(two.stdout).toBe(one.stdout);
    const { folds, pooled, scores } = resultOf(one.stdout);
    expect(folds.map(({ sentences }) => sentences).sort()).toEqual([10, 11, 11, 11]);
    expect(pooled.sentences).toBe(43);
    const mean = folds.reduce((sum, { accuracy }) => sum + accuracy!, 0) / 4;
    expect(scores.accuracy!.mean).toBeCloseTo(mean, 10);
    expect(resultOf(other.stdout).folds).not.toEqual(folds);
    expect(readFileSync(page, 'utf8')).toContain('Written by tagstream crossval');
  });

  it('keeps records of a document in one fold, by runs', { tags: 'slow' }, async () => {
    const records = toyRecords(80).map((line, i) =>
      JSON.stringify({ ...JSON.parse(line), document: `d${Math.floor(i / 10)}` }),
    );
    writeFileSync(join(folder, 'documents.ndjson'), records.join('\n'));
    const source = ['--set', 'source.ndjson.files=[documents.ndjson]', '--folds', '2', '--json'];
    const [chosen, same, single] = await Promise.all([
      crossval(...source),
      crossval(...source, '--run', '10'),
      crossval(...source, '--run', '1'),
    ]);
    expect(JSON.parse(chosen.stdout)).toMatchObject({ run: 10 });
    expect(same.stdout).toBe(chosen.stdout);
    expect(JSON.parse(single.stdout)).toMatchObject({ run: 1 });
    expect(resultOf(single.stdout).folds).not.toEqual(resultOf(chosen.stdout).folds);
    expect(resultOf((await crossval('--folds', '2', '--json')).stdout)).toMatchObject({ run: 1 });
  });

  it('leaves records alone that the source does not read', async () => {
    const part = 'source.ndjson.split={every: 2, take: [0]}';
    const { stdout } = await crossval('--folds', '2', '--json', '--set', part);
    expect(resultOf(stdout).pooled.sentences).toBe(22);
    const limited = await crossval('--folds', '2', '--json', '--set', 'source.ndjson.limit=7');
    expect(resultOf(limited.stdout).pooled.sentences).toBe(7);
  });

  it('counts records that are not fully labelled, and needs one in each fold that is', async () => {
    const partial = toyRecords(9).map(line => line.replace(/"tags":\["[A-Z]+"/, '"tags":[null'));
    const write = (lines: readonly string[]) =>
      writeFileSync(join(folder, 'partial.ndjson'), lines.join('\n'));
    const source = ['--set', 'source.ndjson.files=[partial.ndjson]', '--folds', '2'];
    write([...partial, ...toyRecords(20)]);
    const some = resultOf((await crossval(...source, '--json')).stdout);
    expect(some.pooled).toMatchObject({ sentences: 20, skipped: 9 });
    write(partial);
    const none = await crossval(...source);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('no sentence of fold 1 of 2 can be scored (use fewer folds');
  });

  it('refuses what it cannot split', { tags: 'slow' }, async () => {
    const outcomes = await Promise.all([
      crossval('--folds', '1'),
      crossval('--set', "source.ndjson.files=['-']"),
      crossval('--set', 'source.ndjson.folds={of: 3, take: 0}'),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 78, 78]);
  });
});
