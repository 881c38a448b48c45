import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../../src/models/files/model-file.js';
import { kernels } from '../../../src/models/kernels.js';
import { loadPipeline } from '../../../src/pipeline/loading/load-pipeline.js';
import { drawTemplates, makeExperts } from '../../../src/pipeline/pool/make-experts.js';
import { runPipeline } from '../../../src/pipeline/run/run-pipeline.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 60);
const pool = (model: string, ...given: string[]) =>
  tagstream(['pool', pipeline, '--experts', '3', '--model', join(folder, model), ...given]);

describe('pool --experts', () => {
  it.each(['features', 'data'])('trains experts by %s, the same for the same seed', async by => {
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
  });

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

  it('refuses what experts cannot be made of', async () => {
    const outcomes = await Promise.all([
      pool('no.model', '--experts', '1'),
      pool('no.model', '--weights', '1,1'),
      pool('no.model', '--by', 'labels'),
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
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 78, 2, 2]);
  });
});
