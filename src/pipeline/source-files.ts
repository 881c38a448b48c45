import { resolve } from 'node:path';
import type { Pipeline } from './pipeline.js';

/** The files that a pipeline's source reads, by their whole paths; `-` stays. */
export function sourceFiles({ source, baseDirectory }: Pipeline): string[] {
  const files = source.options.files as string[];
  return files.map(file => (file === '-' ? file : resolve(baseDirectory, file)));
}
