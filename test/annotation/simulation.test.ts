import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/annotation/simulation/simulate.js';
import { summarizeSimulation } from '../../src/annotation/simulation/simulation-report.js';
import { strategyOf } from '../../src/annotation/strategies/strategies.js';
import type { Sentence } from '../../src/engine/core/sentence/sentence.js';
import { tagstream } from '../cli/commands/run-command.js';
import { workspace } from '../cli/commands/workspace.js';
import { EmptyFolder } from '../house/docs/empty-folder.js';
import { goldTags, sampleText } from './sample-session.js';

const folder = workspace();

/** Few kinds of sentences, the first of which comes almost always. */
const gold: Sentence[] = Array.from({ length: 400 }, (_, i) => {
  const tokens = sampleText(i % 10 === 0 ? i : 0).split(' ');
  const part = { index: 0, count: 1, start: 0 };
  return { tokens, tags: goldTags(tokens), columns: {}, document: {}, part };
});

describe('the simulation', () => {
  it('asks less where it chooses, and the same again for the same seeds', {
    tags: 'slow',
  }, async () => {
    const options = {
      ...{ gold, test: gold.filter((_, i) => i % 10 === 0), seeds: 2, tokens: 900, preset: 'ner' },
      strategies: ['random', 'entropy', 'spans'].map(strategyOf),
    };
    const runs = await simulate(options);
    const again = await simulate({ ...options, seeds: 1 });
    expect(again).toEqual(runs.filter(({ seed }) => seed === 1));
    for (const seed of [1, 2]) {
      const first = runs.filter(run => run.seed === seed).map(({ points }) => points[0]!);
      expect(new Set(first.map(({ looked, score }) => `${looked} ${score}`)).size).toBe(1);
    }
    const [random, entropy, spans] = summarizeSimulation(runs);
    expect(random!.reaches!.looked).toBeLessThanOrEqual(random!.points.at(-1)!.looked);
    expect(entropy!.reaches!.looked).toBeLessThan(0.9 * random!.reaches!.looked);
    expect(spans!.reaches!.looked).toBeLessThan(0.8 * random!.reaches!.looked);
    for (const { points } of runs) {
      for (const [i, point] of points.entries()) {
        if (i > 0) expect(point.looked).toBeGreaterThan(points[i - 1]!.looked);
      }
    }
  });

  it('ends runs some time after they have reached what the first has, and uses columns', {
    tags: 'slow',
  }, async () => {
    const tagged = gold.map(one => ({ ...one, columns: { pos: one.tokens.map(() => 'N') } }));
    const options = {
      ...{ gold: tagged, test: tagged.filter((_, i) => i % 10 === 0), preset: 'chunk' },
      ...{ seeds: 2, tokens: 900, strategies: ['random', 'diversity'].map(strategyOf) },
    };
    const whole = await simulate(options);
    const runs = await simulate({ ...options, reach: true });
    expect(runs.slice(0, 2)).toEqual(whole.slice(0, 2));
    const [random, diversity] = summarizeSimulation(runs);
    expect(diversity!.reaches!.looked).toBeLessThan(random!.reaches!.looked);
    expect(diversity!.reaches!.deviation).toBeGreaterThan(0);
    for (const [i, { points }] of runs.entries()) {
      expect(points).toEqual(whole[i]!.points.slice(0, points.length));
      if (i > 1) expect(points.length).toBeLessThan(whole[i]!.points.length);
    }
  });

  it('reads a file in the format that it has', async () => {
    const line = ({ tokens, tags }: Sentence) =>
      tokens.map((token, t) => `${token}/${tags![t]}`).join(' ');
    writeFileSync(join(folder, 'gold.txt'), `${gold.slice(0, 40).map(line).join('\n')}\n`);
    const given = ['--simulate', 'gold.txt', '--strategies', 'random', '--seeds', '1'];
    const { code, stdout, stderr } = await tagstream(['annotate', ...given], { cwd: folder });
    expect(stderr).toContain('gold.txt reads as slash (--format names another one)');
    expect([code, stdout]).toEqual([0, expect.stringContaining('random')]);
  });

  it('finds where a mean curve reaches the last score of the first', () => {
    const run = (strategy: string, seed: number, scores: readonly number[]) => ({
      ...{ strategy, seed },
      points: scores.map((score, i) => ({
        strategy,
        looked: 100 * (i + 1),
        corrections: 10 * i,
        score,
      })),
    });
    const [a, b, c] = summarizeSimulation([
      run('a', 1, [0, 10, 20]),
      run('a', 2, [0, 30, 40]),
      run('b', 1, [10, 50, 50]),
      run('c', 1, [0, 1, 2]),
    ]);
    expect(a!.last).toBe(30);
    expect(b!.reaches!.looked).toBeCloseTo(150, 0);
    expect(b!.reaches!.corrections).toBeCloseTo(5, 1);
    expect(c!.reaches).toBeUndefined();
  });

  it('prints a table and draws the curves', { tags: 'slow' }, async () => {
    const lines = gold.slice(0, 120).map(({ tokens, tags }) => JSON.stringify({ tokens, tags }));
    writeFileSync(join(folder, 'gold.ndjson'), lines.join('\n'));
    const shell = new EmptyFolder(resolve(import.meta.dirname, '../..'));
    const command =
      'annotate --simulate gold.ndjson --strategies random,spans --seeds 1 --tokens 400';
    const { stdout, stderr } = await shell.sh(
      `tagstream ${command} --html page.html --svg curves.svg`,
      folder,
    );
    shell.remove();
    expect(stderr).toMatch(/spans, seed 1: \d+ tokens, \d+ corrections, \d/);
    expect(stdout.split('\n').map(line => line.split(' ')[0])).toEqual([
      'strategy',
      'random',
      'spans',
      '',
    ]);
    const page = readFileSync(join(folder, 'page.html'), 'utf8');
    expect(page.match(/<svg viewBox="0 0 640/g)).toHaveLength(2);
    const picture = readFileSync(join(folder, 'curves.svg'), 'utf8');
    expect(picture).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 640 /);
    expect(picture.match(/<polyline /g)).toHaveLength(2);
    expect(picture).toContain('Labelling gold.ndjson');
    for (const name of ['random', 'spans']) expect(picture).toContain(`>${name}</text>`);
  });
});
