import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train as trainInMemory } from '../../../../src/runtime/pipeline/training/train.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const model = join(folder, 'induced.model');
writeFileSync(join(folder, 'toy.ndjson'), `${toyRecords(60).join('\n')}\n`);

const text = `version: 1
name: induced
source: { ndjson: { files: [toy.ndjson] } }
stages:
  - tokenize: {}
  - featurize:
      templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "U2:%suffix[0,0,1]", "B"]
      conjunctions: true
      support: observed
  - batch: { sentences: 8 }
  - contribute: { loss: log }
  - optimize: { induction: { rounds: 3, add: 4, iterations: 4, with: { lbfgs: { l2: 0.1 } } } }
train: { epochs: 30 }
model: induced.model
`;

const load = (set: readonly string[]) => parsePipeline(text, join(folder, 'induced.yaml'), { set });

describe('a pipeline that induces features', () => {
  it('writes a model of the weights that were added, with conjunctions by their templates', async () => {
    await runPipeline(load([]), { model });
    const { model: read } = readInspected(readFileSync(model));
    const { state } = read.parameters.weights;
    expect(state.view.filter(weight => weight !== 0)).toHaveLength(12);
    expect(read.stateIndex.size).toBeLessThanOrEqual(12);
    expect(read.spec.templates.split('\n')).toContain('U0:%x[0,0]&U1:%x[-1,0]');
  });

  it('adds conjunctions of features that it has added, after rounds of single ones', async () => {
    const induce = (options: string) =>
      runPipeline(
        load([`stages.optimize={induction: {rounds: 3, add: 9, iterations: 4, ${options}}}`]),
        { model },
      );
    const namesOf = () => {
      const { model: read, notes } = readInspected(readFileSync(model));
      const { state } = read.parameters.weights;
      const { width } = read.parameters;
      return [...notes.names.state].flatMap(([row, name]) =>
        state.view.subarray(row * width, (row + 1) * width).some(Boolean) ? [name] : [],
      );
    };
    await induce('singleRounds: 3');
    expect(namesOf().filter(name => name.includes('&'))).toEqual([]);
    await induce('singleRounds: 1, conjoin: added, unsure: 0.9');
    const names = namesOf();
    const pairs = names.filter(name => name.includes('&'));
    expect(pairs.length).toBeGreaterThan(0);
    for (const pair of pairs) {
      for (const part of pair.split('&')) expect(names).toContain(part);
    }
  });

  for (const { rows, tags } of everyNth(3, [4, 3, 6])) {
    it.each(rows)('is resumed after %i iterations to the same bytes', { tags }, async epochs => {
      const dir = join(folder, 'induced-checkpoints');
      const pipeline = (most: number) =>
        load([`stages.5={checkpoint: {dir: ${dir}}}`, `train.epochs=${most}`]);
      await runPipeline(pipeline(14), { model });
      const whole = readFileSync(model);
      rmSync(dir, { recursive: true });
      await runPipeline(pipeline(epochs), { model });
      await runPipeline(pipeline(14), { model, resume: true });
      expect(readFileSync(model).equals(whole)).toBe(true);
      rmSync(dir, { recursive: true });
    });
  }

  it.each([
    [['train.workers=2'], 'workers'],
    [['model={file: x.model, scorer: memm}'], 'linear'],
    [['model={file: x.model, layers: "|"}'], 'induction cannot train'],
    [['stages.optimize={induction: {with: {smo: {}}}}'], 'smo'],
    [['stages.optimize={induction: {rounds: 0}}'], 'rounds'],
    [['stages.featurize.support=all'], 'support: observed'],
  ])('is refused with %j', (set, message) => {
    expect(() => load(set)).toThrow(message);
  });

  it('is refused with another loss', () => {
    expect(() => load(['stages.contribute.loss=softmax-margin'])).toThrow('use the loss log');
  });
});

describe('train with induction', () => {
  it('gives a tagger', async () => {
    const corpus = toyRecords(60).map(
      line => JSON.parse(line) as { tokens: string[]; tags: string[] },
    );
    const { tagger, scores } = await trainInMemory({
      corpus,
      features: {
        templates: ['U0:%x[0,0]', 'U1:%x[-1,0]', 'B'],
        conjunctions: true,
        support: 'observed',
      },
      trainer: { induction: { add: 10 } },
      heldOut: corpus,
    });
    expect(scores!.accuracy).toBeGreaterThan(0.9);
    expect(tagger.tag(corpus[0]!.tokens)).toEqual(corpus[0]!.tags);
  });
});
