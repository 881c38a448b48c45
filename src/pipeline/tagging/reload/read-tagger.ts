import type { TokenFunctions } from '../../../features/template/token-function.js';
import { readBytes } from '../../../io/reading/read-bytes.js';
import { readTaggingModel } from '../../../models/files/model-file.js';
import { type KernelName, kernels } from '../../../models/kernels.js';
import type { Model } from '../../../models/model.js';
import { requireTagger } from './require-tagger.js';

/** A model file that was read whole. */
export interface ReadTagger {
  readonly bytes: Uint8Array;
  readonly model: Model;
}

/**
 * Reads a model file, synchronously, and makes sure that it is whole and can tag.
 *
 * @param functions token functions of plug-ins
 * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`
 */
export function readTagger(
  file: string,
  kernel: KernelName,
  functions?: TokenFunctions,
): ReadTagger {
  const bytes = readBytes(file);
  const model = readTaggingModel(bytes, file, kernels[kernel], functions);
  requireTagger(model, file);
  return { bytes, model };
}
