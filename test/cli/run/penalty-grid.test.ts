import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseGrid } from '../../../src/cli/run/penalty-grid.js';
import { nonZeroWeights } from '../../../src/engine/models/files/model-file.js';
import { crossValidateGrid, loadPipeline, runPipeline } from '../../../src/entries/pipeline.js';
import type { PenaltyGrid } from '../../../src/runtime/pipeline/run/folds/penalty-grid.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 40);
const set = ['train.epochs=2', 'stages.optimize={sgd-l1: {eta0: 0.2}}'];
const grid = { l1: [0, 0.5, 40] };
const command = (...given: string[]) =>
  tagstream([
    ...['crossval', pipeline, '--folds', '4', '--seed', '3'],
    ...set.flatMap(setting => ['--set', setting]),
    ...given,
  ]);

describe('crossval --grid', () => {
  it('scores each penalty as a loop over penalties and folds does, and takes the strongest within one error', {
    tags: 'slow',
  }, async () => {
    const result = (await crossValidateGrid(pipeline, { grid, set, folds: 4, seed: 3 }))!;
    const means: number[] = [];
    const errors: number[] = [];
    for (const [i, l1] of grid.l1.entries()) {
      const scores: number[] = [];
      for (let fold = 0; fold < 4; fold += 1) {
        const folds = `folds: {of: 4, seed: 3, run: 1`;
        let active = 0;
        const run = await runPipeline(
          loadPipeline(pipeline, {
            set: [
              ...set,
              `stages.optimize.sgd-l1.l1=${l1}`,
              `source={ndjson: {files: [train.ndjson], ${folds}, except: ${fold}}}}`,
              `test={ndjson: {files: [train.ndjson], ${folds}, take: ${fold}}}}`,
            ],
          }),
          {
            model: join(folder, 'fold.model'),
            onModel: bytes => {
              active = nonZeroWeights(bytes);
            },
          },
        );
        scores.push(run.test!.accuracy!);
        expect(result.settings[i]!.folds[fold]).toEqual({ score: run.test!.accuracy, active });
      }
      const mean = scores.reduce((a, b) => a + b) / 4;
      const variance = scores.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 3;
      means.push(mean);
      errors.push(Math.sqrt(variance / 4));
      expect(result.settings[i]!.score.mean).toBeCloseTo(mean, 10);
      expect(result.settings[i]!.standardError).toBeCloseTo(errors[i]!, 10);
    }
    const most = Math.max(...means);
    const least = most - errors[means.lastIndexOf(most)]!;
    const within = grid.l1.filter((_, i) => means[i]! >= least);
    expect(means[2]!).toBeLessThan(least);
    expect(result.chosen.penalties).toEqual({ l1: Math.max(...within) });
    expect(result.best.penalties).toEqual({ l1: grid.l1[means.lastIndexOf(most)] });
  });

  it('prints the same for one worker and two, and writes a pipeline that has the choice', {
    tags: 'slow',
  }, async () => {
    const out = join(folder, 'chosen.yaml');
    const page = join(folder, 'path.html');
    const values = ['--grid', 'l1=0,0.5,40', '--grid', 'l2=0,0.1'];
    const written = readFileSync(pipeline, 'utf8').replace('name: toy', 'name: toy # mine');
    writeFileSync(pipeline, written);
    const over = ['--set', 'stages.optimize={adagrad: {eta0: 0.2}}'];
    const [one, two] = await Promise.all([
      command(...over, ...values, '--json'),
      command(...over, ...values, '--json', '--workers', '2', '--out', out, '--html', page),
    ]);
    expect(one.code).toBe(0);
    expect(two.stdout).toBe(one.stdout);
    const { chosen, settings, set: choice } = JSON.parse(one.stdout) as PenaltyGrid;
    expect(settings).toHaveLength(6);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('name: toy # mine');
    const { plan, config } = loadPipeline(out);
    expect(plan.optimizer!.options).toMatchObject(chosen.penalties);
    const again = loadPipeline(pipeline, { set: [...set, ...over.slice(1), ...choice] });
    expect(config).toEqual(again.config);
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<figure class="plot">/g)).toHaveLength(2);
    expect(html).toContain('Written by tagstream crossval');
    const text2 = await command(...over, ...values);
    expect(text2.stdout).toMatch(/^l1 +l2 +accuracy +std error +weights\n0 /);
    expect(text2.stdout).toMatch(
      new RegExp(
        `\\n- optimize: .*adagrad: .*l1: ${chosen.penalties.l1}, l2: ${chosen.penalties.l2}`,
      ),
    );
    const taken = await command(...over, ...values, '--out', out);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('--force')]);
  });

  it('refuses what is no grid before it trains', async () => {
    const outcomes = await Promise.all([
      command('--grid', 'l1=0'),
      command('--grid', 'l3=0,1'),
      command('--grid', 'l1=0,x'),
      command('--grid', 'l1=0,0'),
      command('--grid', 'l1=0,1', '--grid', 'l1=2'),
      command('--grid', 'l1=0,1', '--set', 'stages.optimize={sgd: {}}'),
      command('--grid', 'l1=0,1', '--report', 'full'),
      command('--grid', 'l1=0,1', '--out', join(dirname(folder), 'other.yaml')),
      command('--out', join(folder, 'other.yaml')),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([78, 2, 2, 78, 2, 78, 2, 2, 2]);
    expect(outcomes[5]!.stderr).toContain('l1');
    expect(outcomes.every(({ stderr }) => !stderr.includes('fold 1'))).toBe(true);
    expect(existsSync(join(folder, 'other.yaml'))).toBe(false);
    expect(() => parseGrid(['l1=1,-1'])).toThrow('"-1" is not a penalty');
  });
});
