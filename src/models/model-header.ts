import type { ModelSpec } from './model-spec.js';
import { readSections } from './section-file.js';

/** Version of the format of model files; a file of another version is refused. */
export const modelFormatVersion = 1;

/** What a model file says of itself in its header. */
export interface ModelHeader {
  readonly spec: ModelSpec;
  readonly labels: readonly string[];
  readonly stateFeatures: number;
  readonly nonZeroWeights: number;
  readonly trainingSentences: number | null;
}

/**
 * The header of a model file, without reading the rest.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`
 */
export function readModelHeader(bytes: Uint8Array, source = '<model>'): ModelHeader {
  return readSections(bytes, modelFormatVersion, source).header as unknown as ModelHeader;
}
