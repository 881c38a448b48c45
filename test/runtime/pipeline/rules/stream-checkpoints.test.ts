import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../../src/index.js';

const load = (checkpoint: string) =>
  parsePipeline(
    `version: 1
name: stream
source: { ndjson: { files: ['-'] } }
stages:
  - featurize: { templates: ["U:%x[0,0]", "B"] }
  - batch
  - contribute: { loss: perceptron }
  - optimize: { perceptron: {} }
  - checkpoint: ${checkpoint}
train: { corpusSize: 90 }
model: stream.model
`,
    'stream.yaml',
  );

describe('checkpoints of a stream', () => {
  it.each(['{ dir: steps, sentences: 20 }', '{ dir: steps, seconds: 60 }'])('take %s', given => {
    expect(load(given).name).toBe('stream');
  });

  it('need sentences or seconds, as there are no epochs', () => {
    expect(() => load('{ dir: steps }')).toThrow('a stream has no epochs');
  });
});
