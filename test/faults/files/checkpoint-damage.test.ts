// @module-tag slow
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import type { Random } from '../../../src/engine/core/random.js';
import type { CheckpointParts, State } from '../../../src/engine/core/training/state.js';
import { FileCheckpointStore } from '../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { exactJson } from '../../../src/runtime/io/checkpoints/read-generation.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { count, longForm, reportCounts } from '../long-form.js';
import { countAllocations } from '../memory/count-allocations.js';
import { printSeed, randomOf } from '../seed.js';
import { mutated, mutateJson } from './mutate.js';

printSeed('damaged checkpoints');

const folder = workspace();
const checkpoints = join(folder, 'checkpoints');
const kept = join(folder, 'kept');
const settings = ['stages.4.optimize={sgd-l1: {l1: 0.01}}', 'stages.featurize.support=observed'];
const pipelineFile = toyPipeline(folder, 60, '  - checkpoint: { dir: checkpoints, every: 2 }\n');

const run = (resume: boolean, events = {}) =>
  runPipeline(loadPipeline(pipelineFile, { set: settings }), {
    ...{ resume, events, deadLetters: new DeadLetters({ policy: 'fail' }) },
  });

/** The newest generation that is read, with the names of those passed over. */
function read(directory: string): { step: unknown; passedOver: string[] } {
  const passedOver: string[] = [];
  const parts = new FileCheckpointStore(directory).readNewest((name, error) => {
    expect(error).toBeInstanceOf(TagstreamError);
    expect(['checkpoint', 'file']).toContain((error as TagstreamError).code);
    passedOver.push(name);
  });
  return { step: parts?.learner?.json.steps, passedOver };
}

let older: unknown;
let newest = '';
let names: string[] = [];
beforeAll(async () => {
  await run(false);
  names = readdirSync(checkpoints).sort();
  cpSync(checkpoints, kept, { recursive: true });
  newest = join(checkpoints, names.at(-1)!);
  rmSync(newest, { recursive: true });
  older = read(checkpoints).step;
  cpSync(kept, checkpoints, { recursive: true });
  expect(names.length).toBe(3);
  expect(older).toBeGreaterThan(0);
});

describe('the newest checkpoint', () => {
  it.each([
    ['manifest.json', 1],
    ['arrays.bin', 1000],
  ])('with a bit of %s flipped, every %i bytes in turn, is passed over by name', (file, stride) => {
    const path = join(newest, file);
    const whole = readFileSync(path);
    const step = longForm || stride > 1 ? stride : 20;
    let flips = 0;
    for (let at = 0; at < whole.length; at += step) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << (flips % 8);
      writeFileSync(path, bytes);
      expect(read(checkpoints)).toEqual({ step: older, passedOver: [names.at(-1)] });
      flips += 1;
    }
    writeFileSync(path, whole);
    reportCounts(`flipped bytes of ${file}`, { 'passed over': flips });
    expect(flips).toBeGreaterThan(5);
    expect(read(checkpoints).passedOver).toEqual([]);
  });

  it.each(['manifest.json', 'arrays.bin'])('torn at any length of %s is passed over', file => {
    const path = join(newest, file);
    const whole = readFileSync(path);
    const lengths = [0, 1, 64, whole.length >> 1, whole.length - 1, whole.length + 1];
    for (const length of lengths) {
      writeFileSync(path, Buffer.concat([whole, whole]).subarray(0, length));
      expect(read(checkpoints)).toEqual({ step: older, passedOver: [names.at(-1)] });
    }
    rmSync(path);
    expect(read(checkpoints)).toEqual({ step: older, passedOver: [names.at(-1)] });
    mkdirSync(path);
    expect(read(checkpoints)).toEqual({ step: older, passedOver: [names.at(-1)] });
    rmSync(path, { recursive: true });
    writeFileSync(path, whole);
  });

  it('that is empty, or a file, is passed over', () => {
    rmSync(newest, { recursive: true });
    mkdirSync(newest);
    expect(read(checkpoints)).toEqual({ step: older, passedOver: [names.at(-1)] });
    rmSync(newest, { recursive: true });
    writeFileSync(newest, '');
    expect(read(checkpoints)).toEqual({ step: older, passedOver: [names.at(-1)] });
    rmSync(newest);
    cpSync(kept, checkpoints, { recursive: true });
  });

  it('and all others damaged: resuming is an error, never a start from zero', async () => {
    for (const name of names) writeFileSync(join(checkpoints, name, 'arrays.bin'), 'x');
    await expect(run(true)).rejects.toMatchObject({ code: 'checkpoint' });
    cpSync(kept, checkpoints, { recursive: true });
  });
});

describe('a mutated checkpoint', () => {
  it('is passed over, or read unchanged, and takes no more than twice its bytes', () => {
    const random = randomOf(7);
    const counts = new Map<string, number>();
    const store = join(folder, 'mutated');
    const written = new FileCheckpointStore(kept).readNewest(() => undefined)!;
    const name = new FileCheckpointStore(store).write(small(written));
    const before = JSON.stringify(read(store));
    for (let i = 0; i < (longForm ? 4000 : 200); i += 1) {
      const file = random.below(2) === 0 ? 'manifest.json' : 'arrays.bin';
      const path = join(store, name, file);
      const whole = readFileSync(path);
      const { bytes } = mutated(random, whole);
      writeFileSync(path, bytes);
      const other = file === 'arrays.bin' ? 'manifest.json' : 'arrays.bin';
      const size = bytes.length + statSync(join(store, name, other)).size;
      let outcome = '';
      const allocated = countAllocations(() => {
        outcome = JSON.stringify(read(store)) === before ? 'read unchanged' : 'passed over';
      });
      if (outcome === 'passed over') expect(allocated).toBeLessThanOrEqual(2 * size);
      count(counts, outcome);
      writeFileSync(path, whole);
    }
    reportCounts('mutated checkpoints', counts);
    expect(counts.get('passed over')).toBe(longForm ? 4000 : 200);
  });

  it('whose checksum is right but whose content does not fit ends in a checkpoint error', async () => {
    const random = randomOf(8);
    const counts = new Map<string, number>();
    const parts = new FileCheckpointStore(kept).readNewest(() => undefined)!;
    for (let i = 0; i < (longForm ? 2000 : 100); i += 1) {
      const { kind, changed } = misfit(random, parts);
      rmSync(checkpoints, { recursive: true, force: true });
      new FileCheckpointStore(checkpoints).write(changed);
      let outcome = 'resumed from';
      try {
        await run(true);
      } catch (error) {
        if (!(error instanceof TagstreamError)) throw new Error(`${i}: ${kind}`, { cause: error });
        if (!['checkpoint', 'too-large', 'file'].includes(error.code)) {
          throw new Error(`${i}: ${kind} gives ${error.code}`, { cause: error });
        }
        outcome = error.code;
      }
      count(counts, outcome);
    }
    reportCounts('checkpoints that do not fit', counts);
    expect(counts.get('checkpoint')).toBeGreaterThan(longForm ? 1000 : 50);
  });
});

/** Some arrays of a checkpoint, so that it is small. */
function small(parts: CheckpointParts): CheckpointParts {
  const arrays = { a: Float64Array.from({ length: 300 }, (_, i) => i), b: Int32Array.of(1, 2) };
  return { learner: { json: parts.learner!.json, arrays }, run: parts.run! };
}

/** A checkpoint with one thing in it that does not belong there. */
function misfit(
  random: Random,
  parts: CheckpointParts,
): { kind: string; changed: CheckpointParts } {
  const names = Object.keys(parts);
  const name = names[random.below(names.length)]!;
  const part = parts[name]!;
  if (random.below(20) === 0) {
    const { [name]: _, ...rest } = parts;
    return { kind: `no ${name}`, changed: rest };
  }
  const arrays = Object.keys(part.arrays);
  if (arrays.length === 0 || random.below(2) === 0) {
    const json = JSON.parse(exactJson(part.json, name)) as Record<string, unknown>;
    const kind = mutateJson(random, json);
    return { kind: name + kind, changed: { ...parts, [name]: { ...part, json } } };
  }
  const array = arrays[random.below(arrays.length)]!;
  const changedArrays = { ...part.arrays };
  changeArray(random, changedArrays, array);
  return { kind: array, changed: { ...parts, [name]: { ...part, arrays: changedArrays } } };
}

function changeArray(
  random: Random,
  arrays: Record<string, State['arrays'][string]>,
  name: string,
) {
  const array = arrays[name]!;
  switch (random.below(4)) {
    case 0:
      delete arrays[name];
      break;
    case 1:
      arrays[name] = array.slice(0, random.below(Math.max(1, array.length)));
      break;
    case 2:
      arrays[name] = Float32Array.from({ length: array.length }, () => 1);
      break;
    default: {
      const copy = array.slice();
      if (copy.length > 0) copy[random.below(copy.length)] = 0x7ffffff0;
      arrays[name] = copy;
    }
  }
}
