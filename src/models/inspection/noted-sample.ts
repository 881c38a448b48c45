import { readModelHeader } from '../files/model-header.js';
import { trainingNoteOf } from '../files/model-notes.js';
import { TrainingSample } from './training-sample.js';

/** The sample that a model file notes of its training data; an empty one where it notes none. */
export function notedSample(bytes: Uint8Array, file: string): TrainingSample {
  return new TrainingSample(trainingNoteOf(readModelHeader(bytes, file))?.sample);
}
