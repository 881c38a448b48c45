import { resolve } from 'node:path';
import type { CheckpointParts } from '../core/checkpoint-store.js';
import type { Position } from '../core/delivery.js';
import { TagstreamError } from '../core/errors.js';
import { readWhole } from '../io/checkpoints/read-whole.js';
import type { RunEvents } from './events.js';
import type { Pipeline } from './pipeline.js';
import { refuseChanges } from './refuse-changes.js';

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
  const parts = readWhole(directory, events.onDamagedCheckpoint);
  if (parts !== undefined) refuseChanges(parts.run?.json.config, pipeline.config, directory);
  return parts;
}

/** The position in the input that a checkpoint was written at. */
export function positionOf(parts: CheckpointParts | undefined): Position | undefined {
  return (parts?.run?.json.position as Position | null | undefined) ?? undefined;
}
