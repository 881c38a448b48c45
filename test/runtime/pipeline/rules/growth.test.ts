import { describe, expect, it } from 'vitest';
import { growthNote } from '../../../../src/runtime/pipeline/definition/growth-note.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { growthLimitOf } from '../../../../src/runtime/pipeline/plan/make-plan.js';

const text = (featurize: string, train = 'corpusSize: 1000') => `version: 1
name: x
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U:%x[0,0]"]${featurize} }
  - batch: { sentences: 8 }
  - contribute: {}
  - optimize: { sgd: {} }
train: { ${train} }
`;

const load = (...given: Parameters<typeof text>) =>
  parsePipeline(text(...given), 'x.yaml', { environment: {} });

describe('a pipeline that learns from a stream', () => {
  it('has a limit by default, and says what happens at it', () => {
    expect(growthNote(loadPipeline('pipelines/online.yaml'))).toBe(
      'the model keeps at most 2,097,152 features and 1,024 MiB; ' +
        'beyond that it evicts the features with the smallest weights, which count less the longer they are unseen',
    );
    const { stages, train } = load(', maxFeatures: 500, maxBytes: 1048576');
    expect(growthLimitOf(stages[0]!.options, train)).toEqual({ features: 500, bytes: 2 ** 20 });
    expect(growthNote(load(', hashed: { rows: 4096 }'))).toMatch(/^the model has 4,096 rows/);
    expect(growthNote(load('', 'epochs: 2'))).toBeUndefined();
  });

  const wrong: [why: string, given: Parameters<typeof text>, message: RegExp][] = [
    ['observed pairs', [', support: observed'], /grow without bound.*give hashed/],
    ['a limit and hashed features', [', hashed: {}, maxFeatures: 500'], /leave hashed or maxF/],
    [
      'a limit and several passes',
      [', maxFeatures: 500', 'epochs: 2'],
      /apply only to models that learn/,
    ],
    ['no room at all', [', maxFeatures: 0'], /maxFeatures/],
  ];
  it.each(wrong)('is refused with %s', (_, given, message) => {
    let thrown: unknown;
    try {
      load(...given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'config', place: { line: 5 } });
    expect((thrown as Error).message).toMatch(message);
  });
});
