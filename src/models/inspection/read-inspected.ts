import type { TokenFunctions } from '../../features/template/token-function.js';
import type { Kernel } from '../../kernels/kernel.js';
import { readModel } from '../files/model-file.js';
import { newestFormatVersion } from '../files/model-header.js';
import { type ModelNotes, readNotes } from '../files/model-notes.js';
import { readSections } from '../files/section-file.js';
import type { Model } from '../model.js';

/** A model with the notes of its file. */
export interface InspectedModel {
  readonly model: Model;
  readonly notes: ModelNotes;
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * Reads a model file with its notes.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`; `too-large`
 */
export function readInspected(
  bytes: Uint8Array,
  source = '<model>',
  kernel?: Kernel,
  functions?: TokenFunctions,
): InspectedModel {
  const model = readModel(bytes, source, kernel, functions);
  const file = readSections(bytes, newestFormatVersion, source);
  const notes = readNotes(file, model.stateIndex.size, source);
  return { model, notes, bytes: bytes.length };
}
