import { resolve } from 'node:path';
import { filesOf } from '../sources/common-options.js';
import type { Pipeline } from './pipeline.js';

/** The files that a pipeline's source reads, by their whole paths; `-` stays. */
export function sourceFiles({
  source,
  baseDirectory,
}: Pick<Pipeline, 'source' | 'baseDirectory'>): string[] {
  return filesOf(source.options).map(file => (file === '-' ? file : resolve(baseDirectory, file)));
}
