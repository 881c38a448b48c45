import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';

const text = `version: 1
name: x
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U:%x[0,0]"], prune: { every: 500 } }
  - batch: { sentences: 8 }
  - contribute: {}
  - optimize: { sgd-l1: { l1: 0.5 } }
train: { corpusSize: 1000 }
`;

/** The error that loading ends with, where the text has `to` in place of `from`. */
function errorOf(from: string, to: string): TagstreamError {
  expect(text).toContain(from);
  try {
    parsePipeline(text.replace(from, to), 'x.yaml', { environment: {} });
  } catch (error) {
    if (error instanceof TagstreamError) return error;
    throw error;
  }
  throw new Error('it loaded');
}

describe('featurize.prune', () => {
  it('goes with sgd-l1 on a stream, every 10000 sentences by default', () => {
    const load = (source: string) =>
      parsePipeline(source, 'x.yaml', { environment: {} }).stages[0]!.options.prune;
    expect(load(text)).toEqual({ every: 500 });
    expect(load(text.replace('{ every: 500 }', '{}'))).toEqual({ every: 10_000 });
    expect(load(text.replace(', prune: { every: 500 }', ''))).toBeUndefined();
  });

  const wrong: [why: string, from: string, to: string, message: RegExp, line: number][] = [
    ['several passes', 'corpusSize: 1000', 'epochs: 1', /not over several passes/, 5],
    [
      'another optimizer',
      'sgd-l1: { l1: 0.5 }',
      'sgd: {}',
      /only sgd-l1 and adagrad with l1 produce/,
      8,
    ],
    ['no penalty', 'l1: 0.5', 'l1: 0', /only sgd-l1 and adagrad with l1 produce/, 8],
    [
      'observed pairs',
      'prune:',
      'support: observed, prune:',
      /`support: observed` cannot be pruned/,
      5,
    ],
    ['hashed features', 'prune:', 'hashed: {}, prune:', /leave hashed or prune/, 5],
    ['minibatches of tokens', 'sentences: 8', 'tokens: 99', /which pruning would break/, 6],
    ['too large minibatches', 'sentences: 8', 'sentences: 501', /inside a minibatch of 501/, 5],
    ['no sentences', 'every: 500', 'every: 0', /every/, 5],
  ];
  it.each(wrong)('is refused with %s', (_, from, to, message, line) => {
    const error = errorOf(from, to);
    expect(error.message).toMatch(message);
    expect([error.code, error.place.line]).toEqual(['config', line]);
  });
});
