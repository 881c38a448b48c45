import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { train as trainInMemory } from '../../../../src/runtime/pipeline/training/train.js';
import { toyRecords } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';
import { ColumnRuns, testColumns } from './column-runs.js';

const corpus = toyRecords(40)
  .map(line => JSON.parse(line) as { tokens: string[]; tags: string[] })
  .map(({ tokens, tags }) => ({ tokens, tags: tags.map((tag, t) => `${tag}|T=${t % 2}`) }));
const runs = new ColumnRuns('parts', corpus, 'parts: "|"');

describe('a pipeline with tags of parts', () => {
  testColumns(runs, ['model.parts="="', 'model.parts']);

  for (const part of everyNth(5, [
    [['model.scorer=memm'], 'model.scorer', /linear/],
    [['model.hidden=2'], 'hidden', /leave/],
    [['model.layers="|"'], 'cannot also be tags of parts', /leave layers out/],
    [['stages.4.optimize={cd: {}}'], 'optimizer cd', /lbfgs/],
    [['train={corpusSize: 40}'], 'learned from a corpus', /train.epochs/],
    [['train.workers=2'], 'train.workers', /batch optimizer/],
    [['model.prune={}', 'stages.4.optimize={adagrad: {}}'], 'needs all labels', /prune out/],
    [['model.parts=""'], 'model', /./],
  ] as const)) {
    it.each(part.rows)(
      'is refused with %j, and the way out',
      { tags: part.tags },
      (set, message, fix) => {
        let thrown: unknown;
        try {
          runs.load(set);
        } catch (error) {
          thrown = error;
        }
        expect((thrown as Error).message).toContain(message);
        expect((thrown as Error).message).toMatch(fix);
      },
    );
  }

  it('learns the same with pruning that leaves all labels', async () => {
    const whole = await runs.train();
    const pruned = await runs.train('model.prune={most: 100, ratio: 1e-300}');
    const losses = ({ steps }: typeof whole) => steps.map(({ meanLoss }) => meanLoss);
    expect(losses(pruned).length).toBe(losses(whole).length);
    for (const [i, loss] of losses(pruned).entries()) {
      expect(loss).toBeCloseTo(losses(whole)[i]!, 4);
    }
  });
});

describe('train with tags of parts', () => {
  const request = { corpus: corpus as Document[], features: { templates: ['U:%x[0,0]', 'B'] } };

  it('gives a tagger of whole tags', { tags: 'slow' }, async () => {
    const { tagger, scores } = await trainInMemory({ ...request, parts: '|', heldOut: corpus });
    expect(scores!.accuracy).toBeGreaterThan(0.9);
    expect(tagger.tag(corpus[0]!.tokens)).toEqual(corpus[0]!.tags);
    expect(tagger.labels[0]).toContain('|');
  });
});
