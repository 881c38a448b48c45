import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';

const withChecks = (checks: string) =>
  parsePipeline(
    `version: 1
name: a
source: { ndjson: {} }
stages: [tokenize, { featurize: { model: m } }, batch, tag]
checks:
  - ${checks}
`,
    'a.yaml',
  );

describe('checks in a pipeline file', () => {
  it('are sentences or data', () => {
    const sentence = withChecks('{ name: a, text: Ben ran., spans: [{ label: PER, text: Ben }] }');
    expect(sentence.checks).toEqual([
      { name: 'a', text: 'Ben ran.', spans: [{ label: 'PER', text: 'Ben' }] },
    ]);
    expect(sentence.place(['checks', 0])).toMatchObject({ line: 6 });
    const data = withChecks('{ on: { conll: { files: [x] } }, minimum: { f1: 90 } }');
    expect(data.checks?.[0]).toMatchObject({ minimum: { f1: 90 } });
  });

  it.each([
    ['{ tags: [X] }', 'either a sentence (text or tokens) or data (on)'],
    ['{ text: a, on: { ndjson: {} }, tags: [X] }', 'either a sentence'],
    ['{ text: a, tokens: [a], tags: [X] }', 'either text or tokens, not both'],
    ['{ text: a }', 'a sentence needs tags or spans to expect'],
    ['{ text: a, tags: [X], minimum: { f1: 1 } }', 'minimum is for data (on)'],
    ['{ text: a, tags: [X], columns: { pos: [N] } }', 'columns need tokens'],
    ['{ on: { ndjson: {} } }', 'needs minimum: the least scores'],
    ['{ on: { ndjson: {} }, minimum: {} }', 'give accuracy, precision, recall or f1'],
    ['{ on: { ndjson: {} }, tags: [X], minimum: { f1: 1 } }', 'are for a sentence, not for data'],
    ['{ on: { ndjson: {} }, minimum: { f1: 101 } }', 'checks[0].minimum.f1'],
    ['{ text: a, tag: [X] }', 'a.yaml:6:16: checks[0].tag: unknown key "tag" (did you mean tags?'],
  ])('%s is refused', (check, message) => {
    expect(() => withChecks(check)).toThrow(message);
  });
});
