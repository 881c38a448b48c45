import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { inspectFile } from '../../../src/cli/inspect/inspect-file.js';
import type { TokenExplanation } from '../../../src/engine/models/inspection/explanation.js';
import type { ModelSummary } from '../../../src/engine/models/inspection/model-summary.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const bare = join(folder, 'bare.model');
const records = join(folder, 'more.ndjson');

beforeAll(async () => {
  const pipeline = toyPipeline(
    folder,
    60,
    '  - evaluate: { on: { ndjson: { files: [train.ndjson] } }, every: 2 }\n',
  );
  writeFileSync(records, `${toyRecords(60, false).join('\n')}\n`);
  await Promise.all([
    tagstream(['train', pipeline, '--workers', '1']),
    tagstream(['train', pipeline, '--model', bare, '--no-names']),
  ]);
});

const inspect = (given: readonly string[], options = {}) =>
  tagstream(['inspect', ...given], options);

async function summaryOf(...given: readonly string[]): Promise<ModelSummary> {
  const { stdout, code } = await inspect([...given, '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as ModelSummary;
}

describe('tagstream inspect', () => {
  it('prints one object for machines, with names and history', async () => {
    const summary = await summaryOf(model, '--top', '3');
    expect(summary.labels.map(({ label }) => label).sort()).toEqual(['ADJ', 'DET', 'NOUN', 'VERB']);
    expect(summary.history.map(({ pass }) => pass)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(summary.history.map(({ scores }) => scores?.accuracy)).toEqual([
      ...[undefined, 100, undefined, 100, undefined, 100],
    ]);
    const losses = summary.history.map(({ loss }) => loss);
    expect(losses[5]!).toBeLessThan(losses[0]! / 2);
    const nouns = summary.features.find(({ label }) => label === 'NOUN')!.features;
    expect(nouns).toHaveLength(3);
    for (const { name, weight } of nouns) {
      // Words of the noun speak for it, all others against.
      expect(/^U00:(dog|cat|house)$/.test(name!)).toBe(weight > 0);
    }
    expect(summary.templates.map(({ template, met }) => [template, met])).toEqual([
      ['U00:%x[0,0]', 10],
      ['U01:%x[-1,0]', 11],
    ]);
  });

  it('draws which weights are not zero', async () => {
    const picture = join(folder, 'toy.svg');
    const { code, stdout } = await inspect([model, '--sparsity', picture]);
    expect([code, stdout]).toEqual([0, '']);
    const svg = readFileSync(picture, 'utf8');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).toContain('Weights of toy.model that are not zero');
    expect(svg).toContain('U01:%x[-1,0]');
    const { stdout: piped } = await inspect([model, '--sparsity', '-']);
    expect(piped).toBe(svg);
  });

  it('prints tables without colours where there is no terminal', async () => {
    const { stdout, stderr, code } = await inspect([model, '--top', '2']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^Model\n {2}file +[\d,]+ bytes\n {2}labels +4, scheme none\n/);
    expect(stdout).toMatch(/Transitions\n.*\n {2}from \\ to +\w+ +\w+ +\w+ +\w+\n/);
    expect(stdout).toMatch(/Features of DET\n {2}[+-]\d\.\d{3} {2}U0\d:\S+\n {2}[+-]/);
    expect(stdout).toMatch(/U00:%x\[0,0\] +10 +10 +40 +0\.0 %\n/);
    expect(stdout).toMatch(/pass +loss per token +accuracy\n {5}1 +\d\.\d{4}\n {5}2 .* 100\.00\n/);
    expect(stdout.split('\n').filter(line => line !== line.trimEnd())).toEqual([]);
  });

  it('shows the mistakes and margins of passes that the model keeps', async () => {
    const place = workspace();
    const trained = ['train', toyPipeline(place, 30), '--log', 'json'];
    const set = ['stages.contribute.loss=perceptron', 'stages.optimize={perceptron: {}}'];
    const train = [...trained, ...[...set, 'train.margins=true'].flatMap(one => ['--set', one])];
    expect(await tagstream(train)).toMatchObject({ code: 0 });
    const kept = join(place, 'toy.model');
    const { history } = await summaryOf(kept);
    expect(history[0]!.margin!.mistakes).toBeGreaterThan(0);
    expect(history.map(({ margin }) => margin!.smallest <= 0)).toEqual(Array(6).fill(true));
    const { stdout } = await inspect([kept]);
    const rows = stdout.slice(stdout.indexOf('smallest margin')).trimEnd().split('\n').slice(1);
    expect(rows.map(row => row.trim().split(/ +/))).toEqual(
      history.map(({ pass, loss, margin }) => [
        ...[String(pass), loss.toFixed(4)],
        ...[String(margin!.mistakes), margin!.smallest.toFixed(3)],
      ]),
    );
  });

  it('lists the strongest weights of observed transitions, where there are some', async () => {
    expect((await inspect([model])).stdout).not.toContain('Observed transitions');
    const observed = join(folder, 'observed.yaml');
    const pipeline = readFileSync(join(folder, 'toy.yaml'), 'utf8');
    writeFileSync(observed, pipeline.replace('"B"', '"B02:%x[0,0]"'));
    const own = join(folder, 'observed.model');
    await tagstream(['train', observed, '--model', own]);
    const { observedTransitions: all = [] } = await summaryOf(own, '--top', '2');
    expect(all).toHaveLength(2);
    const { stdout } = await inspect([own, '--top', '2']);
    const section = stdout.split('\n\n').find(text => text.startsWith('Observed transitions'))!;
    const rows = section.split('\n').slice(1);
    expect(rows.map(row => row.trim().split(/ +/))).toEqual(
      all.map(({ name, from, to, weight }) => [
        ...[`${weight < 0 ? '-' : '+'}${Math.abs(weight).toFixed(3)}`, from, '->', to, name],
      ]),
    );
  });

  it('looks at one label, and finds features by name', async () => {
    const { stdout } = await inspect([model, '--label', 'VERB']);
    expect(stdout.match(/Features of \w+/g)).toEqual(['Features of VERB']);
    const { found } = await summaryOf(model, '--grep', '^U00:(dog|the)$');
    expect(found!.map(({ name }) => name).sort()).toEqual(['U00:dog', 'U00:the']);
    for (const { name, weights } of found!) {
      expect(weights.find(({ weight }) => weight > 0)!.label).toBe(
        /dog/.test(name) ? 'NOUN' : 'DET',
      );
    }
  });

  it('takes names from a file where the model has kept none', async () => {
    const [unnamed, named, kept] = await Promise.all([
      inspect([bare]),
      summaryOf(bare, '--data', records),
      summaryOf(model),
    ]);
    expect(unnamed.stdout).toMatch(/feature \d+, name not kept/);
    expect(unnamed.stdout).toMatch(/features +\d+ \(exact\), 0 with their names/);
    expect(unnamed.stdout).not.toContain('U00:dog');
    expect(named.sizes.named).toBe(21);
    expect(named.features).toEqual(kept.features);
  });

  it('explains a text: what speaks for and against each tag', async () => {
    const { stdout } = await inspect([model, '--explain', 'the dog runs', '--json']);
    const { tokens } = JSON.parse(stdout) as { tokens: TokenExplanation[] };
    expect(tokens.map(({ token, tag }) => `${token}/${tag}`)).toEqual([
      ...['the/DET', 'dog/NOUN', 'runs/VERB'],
    ]);
    for (const { probability, runnerUp, difference, contributions } of tokens) {
      expect(probability).toBeGreaterThan(runnerUp!.probability);
      const sum = contributions.reduce((before, { amount }) => before + amount, 0);
      expect(Math.abs(sum - difference!)).toBeLessThan(1e-9);
    }
    expect(tokens[1]!.contributions.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      ...['feature U00:dog', 'feature U01:the', 'in DET', 'out VERB'],
    ]);
  });

  it('explains it in words, and adds up what it does not list', async () => {
    const { stdout } = await inspect([model, '--explain', 'the dog', '--top', '1']);
    const [first, second] = stdout.trimEnd().split('\n\n');
    const shape =
      /^the {2}DET 0\.\d{4} {2}against \w+ 0\.\d{4} {2}score ([+-][\d.]+)\n {2}([+-][\d.]+) {2}\S.*\n {2}([+-][\d.]+) {2}the rest: 2 more$/;
    const [, score, listed, rest] = shape.exec(first!)!;
    expect(Number(listed) + Number(rest)).toBeCloseTo(Number(score), 3);
    expect(second).toMatch(/^dog {2}NOUN/);
  });

  it('explains the records of a file or of the standard input', async () => {
    const stdin = '{"id":"a","tokens":["the","dog"]}\n{"id":"b","text":"A cat. The house."}\n';
    const { stdout } = await inspect([model, '--explain', '-', '--json'], { stdin });
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { id: string; tokens: TokenExplanation[] });
    expect(lines.map(({ id, tokens }) => [id, tokens.length])).toEqual([
      ['a', 2],
      ['b', 3],
      ['b', 3],
    ]);
    const fromFile = await inspect([model, '--explain', records]);
    expect(fromFile.stdout.match(/^record \d+$/gm)).toHaveLength(60);
  });

  it.each([
    [{ top: 0 }, 'usage', 'is not a number of features'],
    [{ label: 'X' }, 'usage', 'the model has no label "X"'],
    [{ feature: '(' }, 'usage', 'is not a regular expression'],
    [{ explain: 'a', columns: '{"pos": 3}' }, 'usage', 'is not an object of columns'],
    [{ explain: '-', columns: '{}' }, 'usage', 'applies only to a text'],
    [{ format: 'conll' }, 'usage', '--format needs a file'],
    [{ data: 'nowhere.ndjson' }, 'file', 'nowhere.ndjson'],
  ])('refuses %j', async (given, code, message) => {
    const refused = inspectFile({ model, top: 10, ...given });
    await expect(refused).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('refuses options that exclude each other', async () => {
    const outcome = await inspect([model, '--explain', 'a', '--label', 'DET']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('cannot be combined with');
  });
});
