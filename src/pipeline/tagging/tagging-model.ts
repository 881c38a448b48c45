import { resolve } from 'node:path';
import { isModelAddress } from '../../io/nats/registry/model-address.js';
import type { Pipeline } from '../definition/pipeline.js';

/**
 * The path of the model file that a pipeline tags with, or its address in a registry; undefined for one that trains its
 * own.
 */
export function taggingModel({ stages, baseDirectory }: Pipeline): string | undefined {
  const featurize = stages.find(({ component }) => component.name === 'featurize');
  const file = featurize?.options.model as string | undefined;
  return file === undefined || isModelAddress(file) ? file : resolve(baseDirectory, file);
}
