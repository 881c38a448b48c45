import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import {
  dealLabels,
  drawTemplates,
  makeExperts,
} from '../../../src/runtime/pipeline/pool/make-experts.js';
import { pooledModels } from '../../../src/runtime/pipeline/pool/pooled-models.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 60);
const pool = (model: string, ...given: string[]) =>
  tagstream(['pool', pipeline, '--experts', '3', '--model', join(folder, model), ...given]);

/** Chooses the pairs that have weights by itself, which takes some seconds. */
const induced: [string, string[]] = [
  'induction',
  [
    'stages.featurize.support=observed',
    'stages.optimize={induction: {rounds: 1, with: {lbfgs: {l2: 10}}}}',
  ],
];

describe('pool --experts', () => {
  it.each(['features', 'data', 'labels'])(
    'trains experts by %s, the same for the same seed',
    { tags: 'slow' },
    async by => {
      const first = await pool('first.model', '--by', by, '--seed', '4', '--json');
      expect(first.stderr).toContain('expert 3/3: ');
      const { experts, loss, diversity, heldOut } = JSON.parse(first.stdout);
      expect(experts).toHaveLength(3);
      expect(heldOut.sentences).toBe(by === 'data' ? 15 : 6);
      expect(loss).toBeLessThan(Math.min(...experts.map((each: { loss: number }) => each.loss)));
      const mean = experts.reduce(
        (sum: number, each: { weight: number; divergence: number }) =>
          sum + each.weight * each.divergence,
        0,
      );
      expect(diversity).toBeCloseTo(mean, 12);
      await pool('second.model', '--by', by, '--seed', '4');
      const bytes = (name: string) => readFileSync(join(folder, name));
      expect(bytes('second.model').equals(bytes('first.model'))).toBe(true);
      await pool('other.model', '--by', by, '--seed', '5');
      expect(bytes('other.model').equals(bytes('first.model'))).toBe(false);
    },
  );

  it('by data have the labels of all parts, and the weights of a training on their own', async () => {
    const rare = JSON.stringify({ tokens: ['the', 'zebra'], tags: ['DET', 'RARE'] });
    writeFileSync(join(folder, 'rare.ndjson'), `${[...toyRecords(23), rare].join('\n')}\n`);
    const set = ['source.ndjson.files=[rare.ndjson]'];
    const made = await makeExperts(loadPipeline(pipeline, { set }), {
      ...{ count: 3, by: 'data', seed: 1 },
    });
    const labels = made!.experts.map(({ model }) => [...model.labels.names].sort());
    expect(labels[1]).toEqual(labels[0]);
    expect(labels[2]).toEqual(labels[0]);
    expect(made!.heldOut).toHaveLength(6);
    // Without a label that a part lacks, an expert is the model of that part.
    const own = await makeExperts(loadPipeline(pipeline), { count: 2, by: 'data', seed: 1 });
    let bytes: Uint8Array | undefined;
    await runPipeline(
      loadPipeline(pipeline, {
        set: ['source={ndjson: {files: [train.ndjson], folds: {of: 3, seed: 1, run: 1, take: 2}}}'],
      }),
      {
        model: join(folder, 'part.model'),
        onModel: written => {
          bytes = written;
        },
      },
    );
    const part = [...readModel(bytes!, 'part.model', kernels.simd64).parameters.weights.state.view];
    const { model } = own!.experts[1]!;
    const ownWeights = [...model.parameters.weights.state.view];
    expect(ownWeights.filter(weight => weight !== 0).sort()).toEqual(
      part.filter(weight => weight !== 0).sort(),
    );
  });

  it('by features have each template somewhere, and those of transitions everywhere', () => {
    const lines = ['U0:%x[0,0]', 'U1:%x[1,0]', 'U2:%x[2,0]', 'U3:%x[3,0]', 'B', 'B1:%x[0,0]'];
    for (let seed = 0; seed < 200; seed += 1) {
      const halves = drawTemplates(lines, 2, seed);
      expect(new Set(halves.flat())).toEqual(new Set(lines));
      for (const half of halves) {
        expect(half.slice(-2)).toEqual(['B', 'B1:%x[0,0]']);
        expect(half.length).toBeGreaterThan(2);
      }
    }
    expect(() => drawTemplates(['U0:%x[0,0]', 'B'], 2, 1)).toThrow('two templates or more');
  });

  it('by labels have each label in one part, those of an entity type together', () => {
    const spans = ['B-PER', 'O', 'I-LOC', 'B-LOC', 'I-PER', 'B-ORG', 'B-PER'];
    const found = new Set<string>();
    for (let seed = 0; seed < 100; seed += 1) {
      const parts = dealLabels(spans, 2, seed);
      expect(parts.flat().sort()).toEqual([...new Set(spans)].sort());
      for (const part of parts) {
        expect(part.includes('B-PER')).toBe(part.includes('I-PER'));
        expect(part.includes('B-LOC')).toBe(part.includes('I-LOC'));
        expect(new Set(part.map(label => label.slice(2))).size).toBe(2);
      }
      found.add(parts.join(' '));
    }
    expect(found.size).toBe(6);
    expect(dealLabels(['S', 'B', 'NN', 'B'], 3, 1).flat().sort()).toEqual(['B', 'NN', 'S']);
    expect(() => dealLabels(spans, 5, 1)).toThrow('5 experts but 4 label types');
  });

  it.each([
    ['support: all', []],
    ['support: observed', ['stages.featurize.support=observed']],
    ['compressed', ['stages.featurize={support: observed, compressed: true}']],
    ...(process.env.TAGSTREAM_FULL === '1' ? [induced] : []),
  ])(
    'by labels score what their parts touch, with %s: the pool by enumeration',
    { tags: 'slow' },
    async (name, more) => {
      const templates = '["U0:%x[0,0]", "U1:%x[-1,0]", "B", "B1:%x[0,0]"]';
      const set = [...['train.epochs=2', ...more], `stages.featurize.templates=${templates}`];
      const made = (await makeExperts(loadPipeline(pipeline, { set }), {
        ...{ count: 3, by: 'labels', seed: 2 },
      }))!;
      const parts = made.experts.map(({ source }) => source.replace(/.*labels /, '').split(', '));
      expect(parts.flat().sort()).toEqual(['ADJ', 'DET', 'NOUN', 'VERB']);
      const weights = [0.7, 1.3, -0.2];
      const { bytes } = pooledModels(made.experts, { weights });
      const model = readModel(bytes, 'pool.model', kernels.simd64);
      const { names } = model.labels;
      const tagger = Tagger.fromBytes(bytes);
      for (const tokens of [
        ['the', 'quick', 'dog', 'runs'],
        ['cat', 'old'],
        ['sees'],
        ['a', 'a', 'new', 'house'],
      ]) {
        const tables = made.experts.map(expert => {
          const sentence = sentenceOf(tokens);
          return {
            own: expert.model.labels.names,
            ...scoresOf(expert.model.parameters, expert.model.encodeKnown(sentence)),
          };
        });
        // The score of an expert: tokens in its part, and transitions from and to them, and nothing else.
        const scoreOf = (tags: readonly string[], k: number) => {
          const { own, emissions, transitions } = tables[k]!;
          const inside = tags.map(tag => parts[k]!.includes(tag));
          const y = tags.map(tag => own.indexOf(tag));
          return tags.reduce((sum, _, t) => {
            const emission = inside[t] ? emissions[t]![y[t]!]! : 0;
            const touches = t > 0 && (inside[t] || inside[t - 1]);
            return sum + emission + (touches ? transitions[t]![y[t - 1]!]![y[t]!]! : 0);
          }, 0);
        };
        const whole = new Enumeration(
          scoresOf(model.parameters, model.encodeKnown(sentenceOf(tokens))),
        );
        const pooled = whole.ranked.map(({ path }) => {
          const tags = path.map(label => names[label]!);
          return { tags, score: weights.reduce((sum, w, k) => sum + w * scoreOf(tags, k), 0) };
        });
        const logZ = Math.log(pooled.reduce((sum, { score }) => sum + Math.exp(score), 0));
        expect(pooled).toHaveLength(4 ** tokens.length);
        expect(Math.abs(whole.logZ - logZ)).toBeLessThan(1e-5);
        whole.ranked.forEach(({ score }, i) => {
          expect(Math.abs(score - pooled[i]!.score)).toBeLessThan(1e-5);
        });
        const best = pooled.reduce((a, b) => (b.score > a.score ? b : a));
        const said = tagger.analyze(tokens, {}, { probability: true });
        expect(said.tags).toEqual(best.tags);
        expect(said.probability).toBeCloseTo(Math.exp(best.score - logZ), 4);
      }
      // With all weights a word says that no label of the part has ever had it.
      const k = parts.findIndex(part => !part.includes('DET'));
      const scoresAlone = (token: string) => {
        const { model: expert } = made.experts[k]!;
        return scoresOf(expert.parameters, expert.encodeKnown(sentenceOf([token]))).emissions[0]!;
      };
      const unknown = scoresAlone('new');
      const differs = scoresAlone('the').some((score, y) => Math.abs(score - unknown[y]!) > 0.01);
      if (name !== 'induction') expect(differs).toBe(name === 'support: all');
    },
  );

  it('refuses what experts cannot be made of', async () => {
    const outcomes = await Promise.all([
      pool('no.model', '--experts', '1'),
      pool('no.model', '--weights', '1,1'),
      pool('no.model', '--by', 'words'),
      tagstream(['pool', pipeline, '--experts', '5', '--by', 'labels', '--model', 'no.model']),
      pool('no.model', '--set', 'source.ndjson.folds={of: 3, take: 0}'),
      tagstream([
        'pool',
        pipeline,
        pipeline,
        '--experts',
        '2',
        '--model',
        join(folder, 'no.model'),
      ]),
      tagstream(['pool', 'a', 'b', '--weights', '1,1', '--set', 'x=1', '--model', 'no.model']),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 78, 78, 2, 2]);
  });
});
