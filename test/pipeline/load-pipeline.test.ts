import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../src/core/errors.js';
import { type LoadOptions, parsePipeline } from '../../src/pipeline/load-pipeline.js';

const text = `version: 1
name: x
source: { conll: { files: ["\${CORPUS:-here}/train.txt"], columns: [form, tag] } }
stages:
  - tokenize
  - featurize: { templates: ["U:%x[0,0]"] }
  - batch:
  - contribute: {}
  - optimize: { sgd: { eta0: 0.5 } }
train: { epochs: 2 }
`;

const load = (source: string, options: LoadOptions = {}) =>
  parsePipeline(source, '/folder/x.yaml', { environment: {}, ...options });

/** The error that loading ends with. */
function errorOf(source: string, options: LoadOptions = {}): TagstreamError {
  try {
    load(source, options);
  } catch (error) {
    if (error instanceof TagstreamError) return error;
    throw error;
  }
  throw new Error('it loaded');
}

describe('a pipeline file', () => {
  it('has its defaults filled in; stages without options may be bare', () => {
    const pipeline = load(text);
    expect(pipeline.stages.map(({ component }) => component.name)).toEqual([
      'tokenize',
      'featurize',
      'batch',
      'contribute',
      'optimize',
    ]);
    expect(pipeline.stages[4]!.options).toEqual({
      sgd: {
        eta0: 0.5,
        l2: 0.5,
        average: false,
        averageAfter: 1,
      },
    });
    const wanted = { epochs: 2, seed: 1, shuffle: true, workers: 1, mode: 'deterministic' };
    expect(pipeline.train).toEqual(wanted);
    expect(pipeline.baseDirectory).toBe('/folder');
  });

  it('takes variables in scalars, with defaults', () => {
    expect(load(text).source.options.files).toEqual(['here/train.txt']);
    const set = load(text, { environment: { CORPUS: '/data' } });
    expect(set.source.options.files).toEqual(['/data/train.txt']);
  });

  it('does not let a variable change its structure', () => {
    const value = '}, evil: { a';
    const pipeline = load(text, { environment: { CORPUS: value } });
    expect(pipeline.source.options.files).toEqual([`${value}/train.txt`]);
  });

  it('names a missing variable and its message', () => {
    const source = text.replace('${CORPUS:-here}', '${CORPUS:?point it at the corpora}');
    expect(errorOf(source).message).toContain('CORPUS is not set: point it at the corpora');
    expect(errorOf(source).place).toEqual({ source: '/folder/x.yaml', line: 3, column: 28 });
  });

  it('takes settings by place and by the name of a stage', () => {
    const byPlace = load(text, { set: ['stages.4.optimize.sgd.eta0=0.25', 'train.seed=9'] });
    expect(byPlace.stages[4]!.options.sgd).toMatchObject({ eta0: 0.25 });
    expect(byPlace.train?.seed).toBe(9);
    const byName = load(text, { set: ['stages.optimize.sgd.l2=3'] });
    expect(byName.stages[4]!.options.sgd).toMatchObject({ eta0: 0.5, l2: 3 });
  });

  it('cannot be made to set what objects inherit', () => {
    const error = errorOf(text, { set: ['__proto__.polluted=1'] });
    expect(error.code).toBe('config');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  const wrong: [string, string, string, RegExp][] = [
    ['a wrong type', 'epochs: 2', 'epochs: two', /train\.epochs: /],
    ['a key that is not known', 'epochs', 'epoch', /unknown key "epoch" \(did you mean epochs\?/],
    [
      'two sources',
      'source: { conll',
      'source: { ndjson: {}, conll',
      /exactly one of ndjson, conll/,
    ],
    ['no stage', /stages:[\s\S]*train/.exec(text)![0], 'stages: []\ntrain', /stages: /],
    ['another version', 'version: 1', 'version: 2', /version: /],
    [
      'an end that is none',
      '  - optimize: { sgd: { eta0: 0.5 } }\n',
      '',
      /the last stage gives a contribution/,
    ],
    ['batches by the clock', '- batch:', '- batch: { milliseconds: 5 }', /depend on the clock/],
    ['tags in several passes', 'train:', '  - tag\ntrain:', /cannot be tagged as they pass/],
  ];
  it.each(wrong)('refuses %s', (_, from, to, message) => {
    const error = errorOf(text.replace(from, () => to));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('config');
    expect(error.place.line).toBeGreaterThan(0);
  });
});
