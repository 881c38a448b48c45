import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { contentsOf } from '../../../../src/engine/models/files/model-file.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train as trainInMemory } from '../../../../src/runtime/pipeline/training/train.js';
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const file = toyPipeline(folder, 40);
const withCheckpoints = toyPipeline(workspace(), 40, '  - checkpoint: { dir: checkpoints }\n');
const loss = 'stages.contribute.loss=perceptron';
const asked = (average: boolean) => [
  loss,
  `stages.4.optimize={perceptron: {untilSeparated: true, average: ${average}}}`,
  'train.epochs=50',
];
const bytes = () => readFileSync(join(folder, 'toy.model'));

async function run(pipeline: string, set: readonly string[], resume = false) {
  const steps: TrainingStep[] = [];
  const { sentencesSeen } = await runPipeline(loadPipeline(pipeline, { set }), {
    resume,
    model: join(folder, 'toy.model'),
    events: { onStep: step => steps.push(step) },
  });
  return { steps, sentencesSeen };
}

describe('perceptron: untilSeparated', () => {
  for (const { rows, tags } of everyNth(2, [true, false])) {
    it.each(rows)(
      'ends after the first pass without a mistake, average %s',
      { tags },
      async average => {
        const { steps, sentencesSeen } = await run(file, asked(average));
        expect(steps.at(-1)!.ending).toBe('separated');
        expect(steps.filter(({ ending }) => ending !== undefined)).toHaveLength(1);
        const passes = steps.at(-1)!.passEnd!;
        expect(passes).toBeGreaterThan(1);
        expect(passes).toBeLessThan(50);
        expect(sentencesSeen).toBe(40 * passes);
        // 40 sentences by 4: of a pass that is without a mistake all losses are 0.
        const lossOf = (pass: number) =>
          steps
            .slice(10 * (pass - 1), 10 * pass)
            .reduce((sum, { contribution }) => sum + contribution.loss, 0);
        expect(lossOf(passes)).toBe(0);
        expect(lossOf(passes - 1)).toBeGreaterThan(0);
      },
    );
  }

  it('changes nothing but the number of passes where weights are not averaged', async () => {
    await run(file, asked(false));
    const short = bytes();
    const { steps } = await run(file, [
      ...[loss, 'stages.4.optimize={perceptron: {average: false}}', 'train.epochs=50'],
    ]);
    expect(steps.at(-1)!.passEnd).toBe(50);
    expect(steps.at(-1)!.ending).toBeUndefined();
    expect(contentsOf(bytes()).sections).toEqual(contentsOf(short).sections);
  });

  it('writes the same bytes with two workers', async () => {
    await run(file, asked(true));
    const alone = bytes();
    const { steps } = await run(file, [...asked(true), 'train.workers=2']);
    expect(steps.at(-1)!.ending).toBe('separated');
    expect(bytes().equals(alone)).toBe(true);
  });

  it('does not learn any further when a run is resumed that has ended', async () => {
    const first = await run(withCheckpoints, asked(true));
    expect(first.steps.at(-1)!.ending).toBe('separated');
    const whole = bytes();
    const { steps, sentencesSeen } = await run(withCheckpoints, asked(true), true);
    expect(steps).toEqual([]);
    expect(sentencesSeen).toBe(first.sentencesSeen);
    expect(bytes().equals(whole)).toBe(true);
  });

  for (const { rows, tags } of everyNth(3, [
    [['train={corpusSize: 40}'], 'a stream has no passes, so none can be free of mistakes'],
    [['train.dropout=0.1'], 'with dropout each pass has other features'],
    [['train.workers=2', 'train.mode=hogwild'], 'no thread sees the mistakes of a whole pass'],
  ])) {
    it.each(rows)('is refused with %j', { tags }, (set, problem) => {
      expect(() => loadPipeline(file, { set: [...asked(true), ...set] })).toThrow(problem);
    });
  }

  it('ends training in memory too, and is refused with dropout', async () => {
    const request = {
      corpus: toyRecords(40).map(record => JSON.parse(record)),
      features: { templates: ['U00:%x[0,0]', 'B'] },
      trainer: { perceptron: { untilSeparated: true } },
      epochs: 50,
    };
    const { passes } = await trainInMemory(request);
    expect(passes.length).toBeLessThan(50);
    await expect(trainInMemory({ ...request, dropout: 0.2 })).rejects.toThrow(
      'untilSeparated: with dropout',
    );
  });
});
