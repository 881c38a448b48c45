import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readModel } from '../../../src/engine/models/files/model-file.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const test = 'test: { ndjson: { files: [train.ndjson], split: { every: 10, take: [9] } } }\n';
const pipeline = toyPipeline(folder, 60, test);
const heldOut = at('held-out.ndjson');
const templates = { words: ['U00:%x[0,0]', 'B'], around: ['U01:%x[-1,0]', 'U02:%x[1,0]', 'B'] };
const experts = [at('words.model'), at('around.model')];

beforeAll(async () => {
  for (const [name, lines] of Object.entries(templates)) {
    const set = [
      `stages.featurize.templates=${JSON.stringify(lines)}`,
      'source.ndjson.split={every: 10, except: [9]}',
    ];
    await runPipeline(loadPipeline(pipeline, { set }), { model: at(`${name}.model`) });
  }
  const records = toyRecords(60).filter((_, i) => i % 10 === 9);
  writeFileSync(heldOut, `${records.join('\n')}\n`);
});

describe('tagstream pool', () => {
  it('prints weights and losses, and writes a model for tag, eval, inspect and workers', {
    tags: 'slow',
  }, async () => {
    const pool = at('pool.model');
    const { stdout, stderr, code } = await tagstream([
      ...['pool', ...experts, '--data', heldOut, '--model', pool],
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^model +weight +loss per token +KL from the pool$/);
    const losses = lines.slice(1).map(line => Number(line.split(/\s+/).at(-2)));
    expect(losses).toHaveLength(3);
    expect(losses[2]).toBeLessThan(Math.min(losses[0]!, losses[1]!));
    const [evaluated, inspected, alone, together] = await Promise.all([
      tagstream(['eval', heldOut, '--model', pool, '--json']),
      tagstream(['inspect', pool]),
      tagstream(['tag', heldOut, '--model', pool]),
      tagstream(['tag', heldOut, '--model', pool, '--workers', '2']),
    ]);
    expect(JSON.parse(evaluated.stdout).accuracy).toBeGreaterThan(95);
    expect(inspected.stdout).toContain('U00:dog');
    expect(alone.code).toBe(0);
    expect(together.stdout).toBe(alone.stdout);
  });

  it('takes the test data of a pipeline file, and given weights', async () => {
    const [fromData, fromPipeline, given] = [at('a.model'), at('b.model'), at('c.model')];
    const data = await tagstream([
      ...['pool', ...experts, '--data', heldOut, '--model', fromData, '--json'],
    ]);
    const report = JSON.parse(data.stdout);
    const weights = report.experts.map(({ weight }: { weight: number }) => weight);
    const other = await tagstream([
      ...['pool', ...experts, '--pipeline', pipeline, '--model', fromPipeline, '--json'],
    ]);
    expect(JSON.parse(other.stdout)).toEqual({ ...report, file: fromPipeline });
    expect(report).toMatchObject({ heldOut: { sentences: 6, omitted: 0 } });
    const { stdout } = await tagstream([
      ...['pool', ...experts, '--weights', weights.join(','), '--model', given],
    ]);
    expect(stdout).not.toContain('loss');
    for (const file of [fromPipeline, given]) {
      expect(readFileSync(file)).toEqual(readFileSync(fromData));
    }
  });

  it('is trained further, all experts jointly', { tags: 'slow' }, async () => {
    const start = at('joint-start.model');
    await tagstream(['pool', ...experts, '--weights', '0.6,0.4', '--model', start]);
    const united = JSON.stringify([...new Set([...templates.words, ...templates.around])]);
    const set = [
      `stages.featurize.templates=${united}`,
      'source.ndjson.split={every: 10, except: [9]}',
      `train.start=${start}`,
      'stages.optimize={lbfgs: {l2: 0.1}}',
      'train.epochs=5',
    ];
    const joint = at('joint.model');
    const counted: number[] = [];
    const onStart = (_: string, { offered, taken }: { offered: number; taken: number }) =>
      void counted.push(offered, taken);
    const options = { model: joint, events: { onStart } };
    const result = await runPipeline(loadPipeline(pipeline, { set }), options);
    expect(result.test!.accuracy).toBeGreaterThan(95);
    expect(counted[0]).toBeGreaterThan(20);
    expect(counted[1]).toBe(counted[0]);
    const read = (file: string) => readModel(readFileSync(file), file).stateIndex.size;
    expect(read(joint)).toBe(read(start));
  });

  it.each<[string, string[], number, string]>([
    ['no data', [], 2, 'pool needs held-out data or weights (give --data FILE or --pipeline'],
    ['no numbers', ['--weights', '1,x'], 2, '--weights 1,x: "x" is not a number'],
    ['a weight too many', ['--weights', '1,1,1'], 78, '2 models but the weights 1, 1, 1'],
    ['two sources', ['--data', 'x', '--pipeline', 'y'], 2, 'pipeline'],
  ])('refuses %s', async (_, more, code, problem) => {
    const refused = await tagstream(['pool', ...experts, '--model', at('no.model'), ...more]);
    expect(refused.stderr).toContain(problem);
    expect(refused.code).toBe(code);
    expect(existsSync(at('no.model'))).toBe(false);
  });

  it('refuses to write over a model that it reads, and a pipeline without test data', async () => {
    const over = await tagstream(['pool', ...experts, '--data', heldOut, '--model', experts[0]!]);
    expect(over.code).toBe(2);
    expect(over.stderr).toContain('a model');
    const untested = at('untested.yaml');
    writeFileSync(untested, readFileSync(pipeline, 'utf8').replace(/^test:.*$/m, ''));
    const asked = ['pool', ...experts, '--pipeline', untested, '--model', at('no.model')];
    const { stderr, code } = await tagstream(asked);
    expect(code).toBe(78);
    expect(stderr).toContain('untested.yaml: the pipeline has no held-out data (add the section');
  });
});
