import type { Pipeline } from '../../definition/pipeline.js';
import type { PipelinePaths } from '../../definition/run-context.js';

/** What a pipeline names as its first model: a pipeline file, or a model file. */
export interface NamedFirst {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/**
 * The first model that the stage `featurize` of a pipeline names; undefined where it names none.
 *
 * @throws TagstreamError `file`
 */
export function namedFirst(
  { plan }: Pick<Pipeline, 'plan'>,
  paths: PipelinePaths,
): NamedFirst | undefined {
  const { from } = plan.features.options;
  if (from === undefined) return undefined;
  return { file: paths.resolve(from), bytes: paths.read(from) };
}
