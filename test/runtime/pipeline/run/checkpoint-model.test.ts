import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const file = toyPipeline(folder, 40, '  - checkpoint: { dir: checkpoints, every: epoch }\n');
const path = join(folder, 'toy.model');

/** The model file as it is after each checkpoint, and at the end. */
async function modelsOf(...set: readonly string[]): Promise<(Buffer | undefined)[]> {
  rmSync(path, { force: true });
  const models: (Buffer | undefined)[] = [];
  const note = () => models.push(existsSync(path) ? readFileSync(path) : undefined);
  await runPipeline(loadPipeline(file, { set: ['train.epochs=3', ...set] }), {
    events: { onCheckpoint: note },
  });
  note();
  return models;
}

describe('checkpoint: { model: true }', () => {
  it('writes at each checkpoint the model that training would end with there', async () => {
    const [first, second, third, end] = await modelsOf('stages.checkpoint.model=true');
    const weights = (bytes: Buffer | undefined) => readModel(bytes!).parameters.weights.state.view;
    expect(weights(first)).not.toEqual(weights(second));
    expect(weights(third)).toEqual(weights(end));
    expect(Tagger.fromBytes(second!).tag(['the', 'dog'])).toEqual(['DET', 'NOUN']);
    const [early, , otherEnd] = await modelsOf('stages.checkpoint.model=true', 'train.epochs=2');
    expect(early!.equals(first!)).toBe(true);
    expect(weights(otherEnd)).toEqual(weights(second));
  });

  it('is not done unless it is asked for', async () => {
    expect((await modelsOf()).map(model => model === undefined)).toEqual([true, true, true, false]);
  });
});
