import { readFileSync } from 'node:fs';
import { fileError } from '../../io/file-error.js';
import { type KernelName, kernels } from '../../models/kernels.js';
import type { Model } from '../../models/model.js';
import { readModel } from '../../models/model-file.js';
import { requireTagger } from './require-tagger.js';

/** A model file that was read whole. */
export interface ReadTagger {
  readonly bytes: Uint8Array;
  readonly model: Model;
}

/**
 * Reads a model file, synchronously, and makes sure that it is whole and can tag.
 *
 * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`
 */
export function readTagger(file: string, kernel: KernelName): ReadTagger {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw fileError('read', file, cause);
  }
  const model = readModel(bytes, file, kernels[kernel]);
  requireTagger(model, file);
  return { bytes, model };
}
