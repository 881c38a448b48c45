import { resolve } from 'node:path';
import type { CheckpointParts } from '../core/checkpoint-store.js';
import type { Position } from '../core/delivery.js';
import { TagstreamError } from '../core/errors.js';
import { FileCheckpointStore } from '../io/file-checkpoint-store.js';
import type { RunEvents } from './events.js';
import type { Pipeline } from './pipeline.js';

/** Settings that may change between a run and its continuation. */
const changeable = [
  'model',
  'sink',
  'test',
  'description',
  'deadLetters',
  'train.epochs',
  'train.workers',
];

/**
 * The newest checkpoint of a pipeline, or nothing where its folder holds none yet.
 *
 * @throws TagstreamError `config` if the pipeline has no stage `checkpoint`; `checkpoint` if there are
 *   checkpoints but none is whole, or if the pipeline is not the one that wrote it
 */
export function restoreRun(pipeline: Pipeline, events: RunEvents): CheckpointParts | undefined {
  const stage = pipeline.stages.find(({ component }) => component.name === 'checkpoint');
  if (stage === undefined) {
    throw new TagstreamError('config', 'the pipeline writes no checkpoints to go on from', {
      place: { source: pipeline.file },
      fix: 'add the stage checkpoint',
    });
  }
  const directory = resolve(pipeline.baseDirectory, stage.options.dir as string);
  const damaged: string[] = [];
  const parts = new FileCheckpointStore(directory).readNewest((name, error) => {
    damaged.push(name);
    events.onDamagedCheckpoint?.(name, error);
  });
  if (parts === undefined && damaged.length > 0) {
    throw new TagstreamError('checkpoint', `no checkpoint is whole: ${damaged.join(', ')}`, {
      place: { source: directory },
      fix: 'train without --resume, or put a copy of a whole checkpoint there',
    });
  }
  if (parts !== undefined) refuseChanges(parts, pipeline, directory);
  return parts;
}

/** The position in the input that a checkpoint was written at. */
export function positionOf(parts: CheckpointParts | undefined): Position | undefined {
  return (parts?.run?.json.position as Position | null | undefined) ?? undefined;
}

function refuseChanges(parts: CheckpointParts, pipeline: Pipeline, directory: string): void {
  const before = flat(parts.run?.json.config);
  const now = flat(JSON.parse(JSON.stringify(pipeline.config)));
  const differences: string[] = [];
  for (const key of new Set([...before.keys(), ...now.keys()])) {
    if (before.get(key) === now.get(key)) continue;
    if (changeable.includes(key.split('.')[0]!) || changeable.includes(key)) continue;
    differences.push(`${key}: ${before.get(key) ?? 'absent'} -> ${now.get(key) ?? 'absent'}`);
  }
  if (differences.length === 0) return;
  throw new TagstreamError(
    'checkpoint',
    `the pipeline is not the one that wrote the checkpoint: ${differences.join('; ')}`,
    { place: { source: directory }, fix: 'undo the change, or train without --resume' },
  );
}

/** Every scalar of a plain value by its path. */
function flat(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      flat(item, path === '' ? key : `${path}.${key}`, into);
    }
  } else if (value !== undefined) {
    into.set(path, JSON.stringify(value));
  }
  return into;
}
