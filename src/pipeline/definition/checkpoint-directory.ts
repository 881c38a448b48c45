import { resolve } from 'node:path';
import type { Pipeline } from './pipeline.js';

/** The folder of a pipeline's checkpoints, if it writes any. */
export function checkpointDirectory({ stages, baseDirectory }: Pipeline): string | undefined {
  const stage = stages.find(({ component }) => component.name === 'checkpoint');
  return stage === undefined ? undefined : resolve(baseDirectory, stage.options.dir as string);
}
