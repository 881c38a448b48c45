import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { studyPage } from '../../../src/reports/study/study-page.js';
import { studyText } from '../../../src/reports/study/study-text.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { parseStudy } from '../../../src/studies/load-study.js';
import { runStudy } from '../../../src/studies/run-study.js';
import { shownStudyOf } from '../../../src/studies/shown/shown-study-of.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { toyStudy } from '../toy-study.js';

const folder = workspace();
const text = `version: 1
name: toys
title: Toys
pipeline: toy.yaml
set: { train.epochs: 1, source.ndjson.limit: 12 }
rows:
  - name: sgd
  - name: sparse
    set: { stages.optimize: { sgd-l1: { l1: 4 } } }
  - name: none
    set: { stages.featurize: { templates: ["U00:%type[0,0]"] } }
replications: { count: 2 }
measure: [accuracy]
boxes: [{ title: Spread, quantity: accuracy }]
significance: { quantity: accuracy, resamples: 400, seed: 9 }
`;
const file = toyStudy(folder);

describe('the significance of differences in a study', () => {
  it('is that of a bootstrap and the steps of Holm, computed directly', async () => {
    const study = parseStudy(text, file);
    const results = join(folder, 'results.ndjson');
    const runs = await runStudy(study, { results });
    const found = shownStudyOf(study, runs);
    // Right tokens of each sentence, by row, over both seeds.
    const tokens: number[] = [];
    const right = await Promise.all(
      study.rows.map(async (row, r) => {
        const sums: number[] = [];
        for (const { pipeline } of study.runs.filter(run => run.row === row)) {
          let n = 0;
          await runPipeline(pipeline, {
            onScored: ({ tags: gold }, tags) => {
              if (r === 0) tokens[n] = (tokens[n] ?? 0) + tags.length;
              sums[n] = (sums[n] ?? 0) + tags.filter((tag, t) => tag === gold![t]).length;
              n += 1;
            },
          });
        }
        return sums;
      }),
    );
    const pairs = [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const;
    const random = new Random(9);
    const draws = Array.from({ length: 400 }, () => tokens.map(() => random.below(tokens.length)));
    const shareOf = (r: number, draw: readonly number[]) =>
      draw.reduce((sum, n) => sum + right[r]![n]!, 0) /
      draw.reduce((sum, n) => sum + tokens[n]!, 0);
    const expected = pairs.map(([a, b]) => {
      const d = shareOf(a, [...tokens.keys()]) - shareOf(b, [...tokens.keys()]);
      const extreme = draws.filter(
        draw => Math.abs(shareOf(a, draw) - shareOf(b, draw) - d) >= Math.abs(d) - 1e-11,
      );
      return { d: 100 * d, p: (1 + extreme.length) / 401 };
    });
    const order = [0, 1, 2].sort((a, b) => expected[a]!.p - expected[b]!.p);
    const adjusted: number[] = [];
    order.forEach((pair, rank) => {
      const before = rank === 0 ? 0 : adjusted[order[rank - 1]!]!;
      adjusted[pair] = Math.max(before, Math.min(1, expected[pair]!.p * (3 - rank)));
    });
    const { pairs: shown } = found.significance!;
    expect(shown.map(({ first, second }) => [first, second])).toEqual(
      pairs.map(([a, b]) => [study.rows[a], study.rows[b]]),
    );
    shown.forEach(({ difference, pValue, adjusted: p }, i) => {
      expect(difference).toBeCloseTo(expected[i]!.d, 10);
      expect(pValue).toBeCloseTo(expected[i]!.p, 10);
      expect(p).toBeCloseTo(adjusted[i]!, 10);
    });
    expect(new Set(expected.map(({ p }) => p)).size).toBeGreaterThan(1);
    expect(studyText(found)).toMatch(/\nDifferences of accuracy, all pairs of rows\n.*p \(Holm\)/);
    const page = studyPage(found);
    expect(page).toContain('sgd - sparse');
    expect(page.match(/<rect class="box/g)).toHaveLength(3);
    // Kept with the results: nothing is trained again, unless they were made without.
    const known: boolean[] = [];
    await runStudy(study, { results, onDone: (_, __, was) => known.push(was) });
    expect(known).toEqual(Array(6).fill(true));
  });

  it('is in the JSON of the command, without the counts of sentences', async () => {
    const without = toyStudy(folder, '', 'plain');
    const small = ['--small', '--json', '--log-level', 'warn'];
    expect(JSON.parse((await tagstream(['study', without, ...small])).stdout)).not.toHaveProperty(
      'significance',
    );
    const asked = toyStudy(
      folder,
      'significance: { quantity: accuracy, columns: [few], resamples: 50 }\n',
      'asked',
    );
    const { stdout } = await tagstream(['study', asked, '--only', 'few', '--json']);
    const { significance, runs } = JSON.parse(stdout);
    expect(significance.pairs).toMatchObject([{ first: 'sgd', second: 'sparse', column: 'few' }]);
    expect(runs[0]).not.toHaveProperty('counts');
    expect(readFileSync(join(folder, 'asked.results.ndjson'), 'utf8')).toContain('"counts"');
    const wrong = toyStudy(folder, 'significance: { quantity: f1, rows: [other] }\n', 'wrong');
    expect((await tagstream(['study', wrong, '--dry-run'])).stderr).toContain('no row "other"');
  });
});
