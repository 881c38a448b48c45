import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../../src/engine/core/errors.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
writeFileSync(path('corpus.ndjson'), `${toyRecords(60).join('\n')}\n`);

const text = `version: 1
name: dropout
source: { ndjson: { files: [corpus.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1, average: true } }
  - checkpoint: { dir: checkpoints, sentences: 20 }
train: { epochs: 4, dropout: 0.3 }
model: dropout.model
`;

/** The model file that a run writes. */
async function modelOf(source: string, resume = false): Promise<Buffer> {
  await runPipeline(parsePipeline(source, path('dropout.yaml')), {
    resume,
    deadLetters: new DeadLetters({ policy: 'fail' }),
  });
  return readFileSync(path('dropout.model'));
}

describe('train.dropout', () => {
  it('gives another model, the same one after a resumed run', async () => {
    const fresh = () => rmSync(path('checkpoints'), { recursive: true, force: true });
    const whole = await modelOf(text);
    fresh();
    const none = await modelOf(text.replace(', dropout: 0.3', ''));
    fresh();
    expect((await modelOf(text.replace('0.3', '0'))).equals(none)).toBe(true);
    expect(whole.equals(none)).toBe(false);
    fresh();
    await modelOf(text.replace('epochs: 4', 'epochs: 2'));
    expect((await modelOf(text, true)).equals(whole)).toBe(true);
  });

  const wrong: [why: string, from: string, to: string, message: RegExp][] = [
    ['a stream', 'epochs: 4', 'corpusSize: 60', /passes over a corpus, not a stream/],
    [
      'a batch optimizer',
      'sgd: { eta0: 0.2, l2: 0.1, average: true }',
      'lbfgs: {}',
      /the batch optimizer lbfgs needs a fixed objective/,
    ],
    [
      'several workers',
      'epochs: 4',
      'epochs: 4, workers: 2',
      /dropout cannot be combined with several workers/,
    ],
    ['a share of 1', 'dropout: 0.3', 'dropout: 1', /dropout/],
    ['a share below 0', 'dropout: 0.3', 'dropout: -0.1', /dropout/],
  ];
  it.each(wrong)('is refused with %s', (_, from, to, message) => {
    expect(text).toContain(from);
    const load = () => parsePipeline(text.replace(from, to), 'x.yaml', { environment: {} });
    expect(load).toThrowError(message);
    expect(load).toThrowError(
      expect.objectContaining({ code: 'config' }) as unknown as TagstreamError,
    );
  });
});
