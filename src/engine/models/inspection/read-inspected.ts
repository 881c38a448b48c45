import type { FeatureKind } from '../../features/extraction/feature-names.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import { type FeatureIndex, findFingerprints } from '../../features/index/feature-index.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { TokenFunctions } from '../../features/template/token-function.js';
import type { Kernel } from '../../kernels/kernel.js';
import { type ModelContents, readModel } from '../files/model-file.js';
import { newestFormatVersion, readModelHeader } from '../files/model-header.js';
import { type ModelNotes, readNotes, trainingNoteOf } from '../files/model-notes.js';
import { readSections } from '../files/section-file.js';
import type { Model } from '../model.js';
import { TrainingSample } from './training-sample.js';

/** A model with the notes of its file. */
export interface InspectedModel {
  readonly model: Model;
  readonly notes: ModelNotes;
  /** Size of the file in bytes. */
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

/** Returns the sample of training data in a model file's notes; empty if there is none. */
export function notedSample(bytes: Uint8Array, file: string): TrainingSample {
  return new TrainingSample(trainingNoteOf(readModelHeader(bytes, file))?.sample);
}

/**
 * Returns the feature names in several model files, by the features' rows in the model read from another file.
 *
 * @param contents contents of that file
 */
export function unitedNames(
  { header, sections }: ModelContents,
  experts: readonly Pick<InspectedModel, 'model' | 'notes'>[],
): ModelNotes['names'] {
  const named = (kind: FeatureKind) => {
    const names = new Map<number, string>();
    const keys = sections[kind === 'state' ? 'state.keys' : 'edges.keys'] as Uint32Array;
    const index = header.spec.index.mode === 'exact' ? ExactIndex.of(keys) : undefined;
    for (const { model, notes } of experts) {
      const from = kind === 'state' ? model.stateIndex : model.edgeIndex;
      const rows = rowsOf(index, from);
      for (const [row, name] of notes.names[kind]) {
        const to = rows === undefined ? row : rows[row]!;
        if (to >= 0 && !names.has(to)) names.set(to, name);
      }
    }
    return names;
  };
  return { state: named('state'), edge: named('edge') };
}

/**
 * Returns the row in the file's index for each row; undefined if hashed features keep their rows.
 */
function rowsOf(index: FeatureIndex | undefined, from: FeatureIndex): Int32Array | undefined {
  if (index === undefined || !canGrow(from)) return undefined;
  return findFingerprints(index, from.fingerprints());
}
