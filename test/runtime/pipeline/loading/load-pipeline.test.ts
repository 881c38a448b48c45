import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import {
  type LoadOptions,
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';

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
  it('is told from labelled data in its place', () => {
    expect(() => loadPipeline('LICENSE')).toThrow(
      'LICENSE: this is not a pipeline file (a pipeline file is YAML with version, source and stages; for labelled data write one: tagstream init LICENSE --out',
    );
  });

  it('has languages that are language tags alone', () => {
    const error = errorOf(text.replace('- tokenize', '- tokenize: { locale: xx_YY }'));
    expect(error.code).toBe('config');
    expect(error.message).toContain('"xx_YY" is not a language tag (BCP 47): write xx-YY');
    expect(load(text.replace('- tokenize', '- tokenize: { locale: xx-YY }')).name).toBe('x');
  });

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

  it('gives variables the type that is wanted where they stand', () => {
    const source = text
      .replace('name: x', 'name: ${N}')
      .replace('{ epochs: 2 }', '\n  epochs: ${EPOCHS}\n  shuffle: ${SHUFFLE:-false}')
      .replace('eta0: 0.5', 'eta0: "${ETA:-0.2}", l2: "${L}${L2}", average: "${AVERAGE}"');
    const environment = { N: '007', EPOCHS: '12', L: '1', L2: 'e-2', AVERAGE: 'true' };
    const pipeline = load(source, { environment });
    expect(pipeline.name).toBe('007');
    expect(pipeline.train).toMatchObject({ epochs: 12, shuffle: false });
    expect(pipeline.stages[4]!.options.sgd).toMatchObject({ eta0: 0.2, l2: 0.01, average: true });
    const set = ['train.seed=${SEED}', 'name=${SEED}'];
    const other = load(source, { set, environment: { ...environment, SEED: '9' } });
    expect([other.train?.seed, other.name]).toEqual([9, '9']);
  });

  it.each([
    ['${ETA}', 'abc', '${ETA} gives a text of 3 characters'],
    ['${ETA:-x}', '', '${ETA:-x} gives a text of 1 character'],
    ['0.${ETA}', '2', '0.${ETA} gives a text of 3 characters'],
    ['${ETA}', '[1]', '${ETA} gives a text of 3 characters'],
  ])('names the variables of a value that is wrong: %s as %j', (written, ETA, reported) => {
    const source = text.replace('eta0: 0.5', () => `eta0: "${written}"`);
    const error = errorOf(source, { environment: { ETA } });
    expect(error.problem).toBe(`stages[4].optimize.sgd.eta0: expected a number; ${reported}`);
    expect(error.place).toMatchObject({ line: 9, column: 24 });
  });

  it('says that braces inside braces need quotes', () => {
    expect(errorOf(text.replace('epochs: 2', 'epochs: ${N}')).fix).toBe(
      'inside { } and [ ] write "${VAR}" in quotes',
    );
  });

  it('names the variable of a number that is out of range, or not whole', () => {
    const source = text.replace('epochs: 2', 'epochs: "${N}"');
    const problem = (N: string) => errorOf(source, { environment: { N } }).problem;
    expect(problem('-1')).toMatch(/^train\.epochs: .*; \$\{N\} gives -1$/);
    expect(problem('2.5')).toMatch(/^train\.epochs: .*expected a whole number; \$\{N\} gives 2.5$/);
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
    [
      'a stage that is missing',
      '  - batch:\n',
      '',
      /contribute: it takes a minibatch.*add the stage batch before it/,
    ],
    ['another version', 'version: 1', 'version: 2', /version: /],
    [
      'an end that is none',
      '  - optimize: { sgd: { eta0: 0.5 } }\n',
      '',
      /the last stage gives a contribution/,
    ],
    ['batches by the clock', '- batch:', '- batch: { milliseconds: 5 }', /depend on the clock/],
    ['tags in several passes', 'train:', '  - tag\ntrain:', /cannot be tagged in several passes/],
  ];
  it.each(['', '# only\n# comments\n', '---\n'])('refuses a file without settings: %j', source => {
    const error = errorOf(source);
    expect(error.problem).toBe('the file is empty or contains only comments');
    expect(error.fix).toContain('tagstream init');
    expect(errorOf(source, { set: ['train.epochs=3'] }).problem).toBe(error.problem);
  });

  it.each([
    [text.replace(/conll: .*/, 'ndjson: { from: { queue: {} } } }'), 'source.ndjson.from'],
    [`${text}sink: { to: { queue: {} } }`, 'sink.to'],
  ])('says that other transports come with plug-ins', (source, path) => {
    const error = errorOf(source);
    expect(error.problem).toContain(path);
    expect(error.fix).toMatch(/plug-ins.*use: \[/);
  });

  it.each([
    ['["U:%x[0,0]",\n      "U1:%lowr[0,0]"]', 7, 'templates[1]: there is no macro %lowr'],
    ['\n      - |\n        U:%x[0,0]\n        B\n      - V:%x[0,0]', 10, 'cannot start with "V"'],
    ['["U:%x[0,0]", "U:%x[0,0]"]', 6, 'duplicate of the template'],
  ])('names the line of a wrong template: %j', (templates, line, message) => {
    const written = templates.startsWith('\n')
      ? `featurize:\n      templates:${templates.replaceAll('\n', '\n  ')}`
      : `featurize: { templates: ${templates} }`;
    const error = errorOf(text.replace(/featurize: .*/, () => written));
    expect(error.code).toBe('template');
    expect(error.message).toContain(message);
    const shift = templates.startsWith('\n') ? 1 : 0;
    expect(error.place).toMatchObject({ source: '/folder/x.yaml', line: line + shift });
  });

  it.each(wrong)('refuses %s', (_, from, to, message) => {
    const error = errorOf(text.replace(from, () => to));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('config');
    expect(error.place.line).toBeGreaterThan(0);
  });
});
