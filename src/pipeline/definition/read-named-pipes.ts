import { resolve } from 'node:path';
import { readPipesAhead } from '../../io/reading/read-pipes-ahead.js';
import type { Pipeline } from './pipeline.js';

/**
 * Reads the pipes among the files that the stages of a pipeline read whole: models, templates, lists,
 * dictionaries. Stages are created synchronously, and could not wait for a writer.
 *
 * @param signal its abort ends the wait
 * @throws (rejects with) the reason of the signal, TagstreamError `file`
 */
export function readNamedPipes(
  { stages, train, baseDirectory }: Pipeline,
  signal?: AbortSignal,
): Promise<void> {
  const named = stages.flatMap(({ component, options }) => component.files?.(options) ?? []);
  const whole = named.filter(file => file.whole === true).map(({ file }) => file);
  const files = [...whole, ...(train?.start === undefined ? [] : [train.start])];
  return readPipesAhead(
    files.map(file => resolve(baseDirectory, file)),
    signal,
  );
}
