import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { SoftmaxMargin } from '../../../../src/engine/losses/softmax-margin.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { train as trainInMemory } from '../../../../src/runtime/pipeline/training/train.js';
import { toyRecords } from '../../../cli/commands/workspace.js';
import { ColumnRuns, testColumns } from './column-runs.js';

const corpus = toyRecords(40).map(line => JSON.parse(line) as { tokens: string[]; tags: string[] });
const runs = new ColumnRuns('codes', corpus, 'codes: { kind: random, bits: 3, distance: 1 }');

describe('a pipeline with tags that are words of a code', () => {
  testColumns(runs, ['model.codes.decoder=hamming', 'model.codes']);

  it('refuses costs of a label, which no bit has', async () => {
    const costs = runs.train('stages.contribute={loss: softmax-margin, missCost: 2}');
    await expect(costs).rejects.toThrow('missCost needs `structure: chain`');
  });

  it.each([
    [['model.scorer=memm'], 'model.scorer', /linear/],
    [['model.hidden=2'], 'hidden', /leave/],
    [['model.layers="|"'], 'layers', /leave layers out/],
    [['model.structure=segments'], 'structure segments', /leave codes out/],
    [['model.codes.bits=0'], 'model', /./],
    [['model.codes.kind=other'], 'model', /./],
    [['model.codes={kind: random}'], 'model', /./],
    [['model.codes={kind: chosen}'], 'model', /bits are required/],
    [['model.codes={kind: chosen, bits: 3, distance: 2}'], 'model', /only to a random/],
    [['model.codes={kind: exhaustive, confusions: []}'], 'model', /only to a chosen/],
    [['model.codes={kind: words}'], 'model', /needs words/],
    [['model.codes={kind: random, bits: 3, words: {A: "0", B: "1"}}'], 'model', /needs words/],
    [['model.codes={kind: words, words: {A: "01", B: "1"}}'], 'model', /"B" has 1 bit/],
    [['model.codes={kind: words, words: {A: "01", B: "01"}}'], 'model', /same word/],
    [['model.codes={kind: words, words: {A: "01", B: "11"}}'], 'model', /bit 2 is 1/],
    [['model.codes={kind: words, words: {A: 0, B: 1}}'], 'model', /expected a string, got 0/],
    [['model.codes={kind: exhaustive, seed: 2}'], 'model', /./],
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

describe('train with words of a code', () => {
  it('refuses a loss with costs of one label, which no bit has', async () => {
    const loss = new SoftmaxMargin({ missCost: 2, outside: () => 0 });
    const trained = trainInMemory({ ...request, codes, loss });
    await expect(trained).rejects.toThrow('a cost of one label in the loss softmax-margin');
  });

  const request = { corpus: corpus as Document[], features: { templates: ['U:%x[0,0]', 'B'] } };
  const codes = { kind: 'exhaustive' } as const;

  it.each(['product', 'marginals', 'hamming'] as const)(
    'gives a tagger of their labels, by %s',
    { tags: 'slow' },
    async decoder => {
      const trained = await trainInMemory({
        ...request,
        codes: { ...codes, decoder },
        heldOut: corpus,
        trainer: { lbfgs: { l2: 0.01 } },
      });
      expect(trained.scores!.accuracy).toBeGreaterThan(0.9);
      expect(trained.tagger.tag(corpus[0]!.tokens)).toEqual(corpus[0]!.tags);
    },
  );

  it('chooses words by the confusions of a first model, and keeps them in the model', {
    tags: 'slow',
  }, async () => {
    const chosen = {
      kind: 'chosen',
      bits: 2,
      confusions: [{ gold: corpus[0]!.tags[0]!, predicted: corpus[0]!.tags[1]!, count: 3 }],
    } as const;
    const options = { ...request, codes: chosen, trainer: { lbfgs: { l2: 0.01 } } };
    const { tagger, bytes } = await trainInMemory(options);
    expect(tagger.tag(corpus[0]!.tokens)).toEqual(corpus[0]!.tags);
    const again = readModel(bytes, 'm');
    expect(again.spec.codes).toMatchObject(chosen);
  });

  it('refuses what cannot train them', async () => {
    const refused = (more: object) => trainInMemory({ ...request, codes, ...more });
    await expect(refused({ trainer: { cd: {} } })).rejects.toThrow('trainer: ');
    await expect(refused({ hidden: 2 })).rejects.toThrow('hidden: ');
    await expect(refused({ layers: '|' })).rejects.toThrow('layers: ');
    await expect(
      refused({ codes: { kind: 'random', bits: 2, distance: 2 } }),
    ).rejects.toMatchObject({ code: 'config' });
  });
});
