import { resolve } from 'node:path';
import type { Pipeline } from './pipeline.js';

/** Where the trained model goes; undefined where none is written. */
export function modelFileOf(
  pipeline: Pick<Pipeline, 'model' | 'baseDirectory'>,
  options: { readonly model?: string | undefined },
): string | undefined {
  if (options.model !== undefined) return resolve(options.model);
  return pipeline.model === undefined ? undefined : resolve(pipeline.baseDirectory, pipeline.model);
}
