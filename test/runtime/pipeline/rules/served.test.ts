import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';

const text = (optimizer: string, { train = 'corpusSize: 1000', tag = '  - tag: {}\n' } = {}) =>
  `version: 1
name: x
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U:%x[0,0]"] }
  - batch: {}
  - contribute: { loss: ${optimizer.startsWith('perceptron') ? 'perceptron' : 'log'} }
  - optimize: { ${optimizer} }
${tag}train: { ${train} }
model: x.model
`;

const load = (...given: Parameters<typeof text>) =>
  parsePipeline(text(...given), 'x.yaml', { environment: {} });

describe('an average on a stream that is tagged', () => {
  it.each(['sgd: { average: true }', 'perceptron: {}', 'perceptron: { average: true }'])(
    'is refused, as it would have no effect on the tags: %s',
    optimizer => {
      expect(() => load(optimizer)).toThrow(
        /x\.yaml:8:.*the average would not affect its tags \(average over a window and .* or set average: false\)/,
      );
    },
  );

  it.each([
    ['sgd: {}', {}],
    ['perceptron: { average: false }', {}],
    ['sgd: { average: true }', { tag: '' }],
    ['sgd: { average: true }', { train: 'epochs: 2', tag: '' }],
  ] as const)('is taken where it has one, or is none: %s %j', (optimizer, given) => {
    expect(load(optimizer, given).trains).toBe(true);
  });
});
