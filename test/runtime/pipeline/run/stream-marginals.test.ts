import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { concatMap, from, lastValueFrom, of, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Minibatch } from '../../../../src/engine/core/minibatch/minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { TaggedSentence } from '../../../../src/engine/core/sentence/sentence.js';
import { localLogLoss } from '../../../../src/engine/losses/local-log-loss.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { SoftmaxMargin } from '../../../../src/engine/losses/softmax-margin.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import type { DecodeOptions } from '../../../../src/engine/models/decoding/decode-options.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { tag } from '../../../../src/engine/operators/tag.js';
import { tokenize } from '../../../../src/engine/operators/tokenize.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const templates = 'U0:%x[0,0]\nB';
const settings = { eta0: 0.1, l2: 0.5, schedule: 'constant' } as const;

/** Records with all tags, some or none. */
function stream(count: number): Document[] {
  const random = new Random(3);
  const names = ['O', 'B-X', 'I-X', 'B-Y'];
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 1 + random.below(5) }, () => random.below(8));
    const tags = words.map(word => names[(word + (random.below(6) === 0 ? 1 : 0)) % 4]!);
    const tokens = words.map(word => `w${word}`);
    const id = `${i}`;
    if (i % 4 === 2) return { id, tokens };
    return i % 4 === 3
      ? { id, tokens, partialTags: ['O', ...tags.slice(1).map(() => null)] }
      : { id, tokens, tags };
  });
}

/** Sentences tagged as they are learned from, and by the weights that were there before. */
async function both(
  given: Partial<ModelSpec>,
  loss: Loss,
  sentences: number,
  asked: DecodeOptions,
) {
  const model = createModel({ templates, ...given });
  const learner = createOnlineLearner(model, {
    loss,
    optimizer: sgd,
    options: settings,
    corpusSize: 100,
  });
  const before: TaggedSentence[] = [];
  let minibatch: Minibatch | undefined;
  const alone = tag(model, { ...asked, transitions: 'any', dictionary: false });
  const after = await lastValueFrom(
    from(stream(80)).pipe(
      tokenize(),
      featurize(model),
      batch({ sentences }),
      tap(next => {
        minibatch = next;
      }),
      contribute(learner, { predict: true, ...asked }),
      // All that is to be charged to these weights is, and they have not learned yet.
      tap(() => {
        of(minibatch!)
          .pipe(alone)
          .subscribe(sentence => before.push(sentence));
      }),
      optimize(learner),
      concatMap(step => of(step).pipe(tag(model, asked))),
      toArray(),
    ),
  );
  return { before, after, model };
}

describe('probabilities of predictions on a stream', () => {
  const losses = [logLoss, new SoftmaxMargin(), perceptronLoss];

  for (const part of everyNth(4, [
    ['the chosen tags', { marginals: true }],
    ['all tags', { marginals: 'all' }],
    ['pairs of tags', { marginals: 'pairs', pairThreshold: 0 }],
    ['sequences', { probability: true }],
    ['all of them', { marginals: 'all', probability: true }],
  ] as const)) {
    it.each(part.rows)(
      'are those of the weights before: %s',
      { tags: part.tags },
      async (_, asked) => {
        for (const [i, loss] of losses.entries()) {
          const { before, after } = await both({}, loss, 1 + 2 * i, asked);
          expect(after).toHaveLength(80);
          expect(after).toEqual(before);
        }
      },
    );
  }

  it.each<[string, Partial<ModelSpec>]>([
    ['segments', { segments: { maxLength: 3, features: ['length'] } }],
    [
      'a graph',
      {
        graph: {
          sameWord: { of: 'all', column: 'form', perToken: 1 },
          ...{ potentials: 'free', maxWidth: 3, schedule: 'residual' },
        },
      },
    ],
    ['two hidden states', { hidden: { states: 2, spread: 0.5, seed: 1 } }],
    ['a local model', { scorer: 'memm' }],
    ['features of transitions', { templates: 'U0:%x[0,0]\nB0:%x[0,0]' }],
    ['hashed rows', { index: { mode: 'hashed', rows: 64, edgeRows: 64 } }],
  ])('are those of the weights before with %s', async (_, spec) => {
    const loss = spec.scorer === 'memm' ? localLogLoss : logLoss;
    const { before, after } = await both(spec, loss, 3, { marginals: 'all', probability: true });
    // Steps have the scores of states.
    const unscored = (all: TaggedSentence[]) =>
      spec.hidden === undefined ? all : all.map(({ score: _, ...rest }) => rest);
    expect(unscored(after)).toEqual(unscored(before));
    for (const { tags, tokens, marginals } of after) {
      expect([tags.length, marginals!.length]).toEqual([tokens.length, tokens.length]);
    }
  });

  it('leave what is learned as it is', async () => {
    const weightsWith = async (asked: DecodeOptions, spec: Partial<ModelSpec>) => {
      const { model } = await both(spec, logLoss, 3, asked);
      const { scale, weights } = model.parameters;
      return [scale, [...weights.state.view], [...weights.edges.view]];
    };
    for (const spec of [{}, { segments: { maxLength: 3, features: ['length' as const] } }]) {
      const plain = await weightsWith({}, spec);
      expect(await weightsWith({ marginals: 'all', probability: true }, spec)).toEqual(plain);
    }
  });

  it('are of the labels that a model reports', async () => {
    const { after } = await both({ encode: 'bioes' }, logLoss, 2, { marginals: 'all' });
    for (const { tags, marginals, labelMarginals } of after) {
      const { labels, values } = labelMarginals!;
      expect(labels).not.toContain('S-X');
      for (const [t, name] of tags.entries()) {
        const row = values.subarray(t * labels.length, (t + 1) * labels.length);
        expect(row.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 6);
        expect(row[labels.indexOf(name)]).toBeCloseTo(marginals![t]!, 12);
      }
    }
  });

  it('come from a pipeline file as from operators', async () => {
    const text = `version: 1
name: marginals
source: { ndjson: { files: [in.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: { sentences: 3 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.5, schedule: constant } }
  - evaluate: { progressive: true }
  - tag: { marginals: true, probability: true }
train: { corpusSize: 100 }
sink: { file: out.ndjson }
`;
    mkdirSync(folder, { recursive: true });
    const lines = stream(80).map(({ partialTags, ...document }) =>
      JSON.stringify({ ...document, ...(partialTags && { tags: partialTags }) }),
    );
    writeFileSync(join(folder, 'in.ndjson'), lines.join('\n'));
    const pipeline = parsePipeline(text, join(folder, 'p.yaml'));
    await runPipeline(pipeline, { deadLetters: new DeadLetters({ policy: 'fail' }) });
    const written = readFileSync(join(folder, 'out.ndjson'), 'utf8').trim().split('\n');
    const { after } = await both({}, logLoss, 3, { marginals: true, probability: true });
    for (const [i, { tags, marginals, probability }] of after.entries()) {
      const record = JSON.parse(written[i]!);
      expect(record.tags).toEqual(tags);
      expect(record.marginals).toHaveLength(tags.length);
      for (const [t, each] of marginals!.entries()) {
        expect(record.marginals[t]).toBeCloseTo(each, 4);
      }
      expect(record.probability).toEqual([expect.closeTo(probability!, 4)]);
      expect(record.logProbability).toEqual([expect.closeTo(Math.log(probability!), 4)]);
    }
    const parallel = text
      .replace(
        'train: { corpusSize: 100 }',
        'train: { corpusSize: 100, cluster: { shards: 2, every: 20 } }',
      )
      .replace(/ {2}- evaluate.*\n/, '');
    expect(() => parsePipeline(parallel, join(folder, 'p.yaml'))).toThrow(
      /probabilities are not available while several threads or machines/,
    );
  });
});
