import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';

interface Given {
  readonly featurize?: string;
  readonly optimize?: string;
  readonly train?: string;
  readonly model?: string;
}

function load({ featurize, optimize, train, model }: Given) {
  const text = `version: 1
name: x
source: { ndjson: { files: [x.ndjson] } }
stages:
  - featurize: { templates: ["U:%x[0,0]", "B"], ${featurize ?? 'support: observed, compressed: true'} }
  - batch: { sentences: 8 }
  - contribute: { loss: ${optimize === 'perceptron' ? 'perceptron' : 'log'} }
  - optimize: { ${optimize ?? 'sgd'}: {} }
train: { ${train ?? 'epochs: 2'} }
model: { file: x.model${model ?? ''} }
`;
  return parsePipeline(text, 'x.yaml', { environment: {} });
}

describe('weights that are stored for single pairs', () => {
  it.each(['sgd', 'perceptron'])('are trained by %s', optimize => {
    expect(load({ optimize }).stages[0]!.options.compressed).toBe(true);
  });

  const wrong: [why: string, given: Given, line: number, message: RegExp][] = [
    ['all labels of a feature', { featurize: 'compressed: true' }, 5, /add support: observed/],
    ['an optimizer of rows', { optimize: 'adagrad' }, 8, /adagrad needs weights in rows/],
    ['a batch optimizer', { optimize: 'lbfgs' }, 8, /lbfgs needs weights in rows/],
    ['another scorer', { model: ', scorer: memm' }, 5, /the scorer memm needs weights in rows/],
    ['hidden states', { model: ', hidden: 2' }, 5, /hidden states needs? weights in rows/],
    ['layers', { model: ', layers: "+"' }, 5, /layers needs? weights in rows/],
    ['several threads', { train: 'epochs: 2, workers: 2' }, 9, /train in one thread.*workers/],
  ];
  it.each(wrong)('are refused with %s', (_, given, line, message) => {
    let thrown: unknown;
    try {
      load(given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'config', place: { line } });
    expect((thrown as Error).message).toMatch(message);
  });
});

describe('labels that are pruned', () => {
  const model = ', prune: { most: 9 }';

  it('go with labels of parts, and so do weights of single pairs', () => {
    const { config } = load({ model: `${model}, parts: "|"` });
    expect(config.model).toMatchObject({ parts: '|', prune: { most: 9 } });
  });

  it.each(['sgd', 'perceptron'])('go with %s, and weights of all labels too', optimize => {
    const { config } = load({ optimize, model, featurize: 'support: all' });
    expect((config.model as { prune: unknown }).prune).toEqual({ most: 9, ratio: 0.0001 });
  });

  const wrong: [why: string, given: Given, line: number, message: RegExp][] = [
    ['an optimizer of all labels', { optimize: 'adagrad' }, 8, /adagrad needs all labels/],
    ['another scorer', { model: `${model}, scorer: memm` }, 10, /the scorer memm needs all labels/],
    ['threads', { train: 'epochs: 2, workers: 2' }, 9, /with prune train in one thread/],
    ['a stream', { train: 'corpusSize: 9' }, 10, /prune needs a corpus/],
    ['a dictionary', { featurize: 'dictionary: {}' }, 5, /a tag dictionary needs all labels/],
    ['no label at all', { model: ', prune: { most: 0 }' }, 10, /most/],
  ];
  it.each(wrong)('are refused with %s', (_, given, line, message) => {
    let thrown: unknown;
    try {
      load({ model, featurize: 'support: all', ...given });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'config', place: { line } });
    expect((thrown as Error).message).toMatch(message);
  });
});
