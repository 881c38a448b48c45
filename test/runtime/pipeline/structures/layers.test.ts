import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { train as trainInMemory } from '../../../../src/runtime/pipeline/training/train.js';
import { toyRecords } from '../../../cli/commands/workspace.js';
import { ColumnRuns, testColumns } from './column-runs.js';

const corpus = toyRecords(40)
  .map(line => JSON.parse(line) as { tokens: string[]; tags: string[] })
  .map(({ tokens, tags }) => ({ tokens, tags: tags.map((tag, t) => `${tag}|${t % 2}`) }));
const runs = new ColumnRuns('pairs', corpus, 'layers: "|"');

describe('a pipeline with tags of two layers', () => {
  testColumns(runs, ['model.layers="+"', 'model.layers']);

  it.each([
    [['model.scorer=memm'], 'model.scorer', /linear/],
    [['model.hidden=2'], 'hidden', /leave/],
    ...['cd', 'gis'].map(
      name => [[`stages.4.optimize={${name}: {}}`], `optimizer ${name}`, /lbfgs/] as const,
    ),
    [
      ['stages.4.optimize={voted-perceptron: {}}', 'stages.contribute.loss=perceptron'],
      'the optimizer voted-perceptron',
      /lbfgs/,
    ],
    [['train={corpusSize: 40}'], 'learned from a corpus', /train.epochs/],
    [['train.workers=2'], 'train.workers', /batch optimizer/],
    [['model.layers=""'], 'model', /./],
  ] as const)('is refused with %j, and the way out', (set, message, fix) => {
    let thrown: unknown;
    try {
      runs.load(set);
    } catch (error) {
      thrown = error;
    }
    expect((thrown as Error).message).toContain(message);
    expect((thrown as Error).message).toMatch(fix);
  });
});

describe('train with tags of two layers', () => {
  const request = { corpus: corpus as Document[], features: { templates: ['U:%x[0,0]', 'B'] } };

  it('gives a tagger of pairs', { tags: 'slow' }, async () => {
    const { tagger, scores } = await trainInMemory({ ...request, layers: '|', heldOut: corpus });
    expect(scores!.accuracy).toBeGreaterThan(0.9);
    expect(tagger.tag(corpus[0]!.tokens)).toEqual(corpus[0]!.tags);
    expect(tagger.labels[0]).toContain('|');
  });

  it('refuses what cannot train them, and tags of one layer', async () => {
    const refused = (more: object) => trainInMemory({ ...request, layers: '|', ...more });
    await expect(refused({ trainer: { cd: {} } })).rejects.toThrow('trainer: ');
    await expect(refused({ hidden: 2 })).rejects.toThrow('hidden: ');
    await expect(refused({ layers: '/' })).rejects.toMatchObject({ code: 'unknown-label' });
  });
});
