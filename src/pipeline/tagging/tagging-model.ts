import { resolve } from 'node:path';
import type { Pipeline } from '../definition/pipeline.js';

/** The path of the model file that a pipeline tags with; undefined for one that trains its own. */
export function taggingModel({ stages, baseDirectory }: Pipeline): string | undefined {
  const featurize = stages.find(({ component }) => component.name === 'featurize');
  const file = featurize?.options.model as string | undefined;
  return file === undefined ? undefined : resolve(baseDirectory, file);
}
