import { fileMark } from '../../io/files/file-mark.js';
import type { Selection } from '../../io/sources/select-records.js';
import { sharesRecords } from '../../io/sources/shares-records.js';
import { readModelHeader } from '../../models/files/model-header.js';
import { trainingNoteOf } from '../../models/files/model-notes.js';
import { textLog } from '../report/text-log.js';
import type { LabelledInput } from './sentences-of.js';

/** Warns where records that are to be scored are among those that the model notes as its training data. */
export function warnOfTrainingData(
  { files, selection = {} }: LabelledInput,
  model: { readonly bytes: Uint8Array; readonly file: string },
): void {
  const note = trainingNoteOf(readModelHeader(model.bytes, model.file));
  if (note === undefined || !sharesRecords(note as Selection, selection)) return;
  const known = files.find(file => {
    const mark = fileMark(file);
    return note.files.some(({ bytes, start }) => bytes === mark?.bytes && start === mark.start);
  });
  if (known === undefined) return;
  textLog('warn').warn(
    `${known} has records that the model was trained on, and scores on these mean nothing; tagstream eval PIPELINE scores the held-out part alone`,
  );
}
