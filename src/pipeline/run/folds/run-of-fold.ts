import { resolve } from 'node:path';
import { lastValueFrom, reduce } from 'rxjs';
import { runLength } from '../../../core/run-length.js';
import { documentSource } from '../../../io/sources/document-source.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { unkeptRecords } from '../../definition/unkept-records.js';
import { filesOf, selectionOf } from '../../sources/common-options.js';

/**
 * How many records of a pipeline's source that follow each other belong to the same fold: 1, or, where records are of
 * documents, runs of them. Reads the source once.
 *
 * @throws (rejects with) what reading it throws
 */
export async function runOfFold(pipeline: Pipeline, folds: number): Promise<number> {
  const { source, baseDirectory } = pipeline;
  const { component, options } = source;
  const documents = documentSource({
    files: filesOf(options).map(file => resolve(baseDirectory, file)),
    codec: component.codec(options),
    stdin: component.generated?.(options),
    deadLetters: unkeptRecords(pipeline),
    selection: selectionOf(options),
  });
  const none = { records: 0, ofDocuments: false };
  const { records, ofDocuments } = await lastValueFrom(
    documents.pipe(
      reduce((counts, { delivery, documentId, startsDocument }) => {
        delivery?.release();
        delivery?.ack();
        const marked = documentId !== undefined || startsDocument === true;
        return {
          records: counts.records + 1,
          ofDocuments: counts.ofDocuments || (marked && counts.records > 0),
        };
      }, none),
    ),
    { defaultValue: none },
  );
  return ofDocuments ? runLength(records, folds) : 1;
}
