import { lastValueFrom, reduce } from 'rxjs';
import { runLength } from '../../../core/run-length.js';
import { isOfDocument } from '../../../core/sentence/is-of-document.js';
import { documentSource } from '../../../io/sources/document-source.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { sourceFiles } from '../../definition/source-files.js';
import { unkeptRecords } from '../../definition/unkept-records.js';
import { selectionOf } from '../../sources/common-options.js';

/**
 * How many records of a pipeline's source that follow each other belong to the same fold: 1, or, where records are of
 * documents, runs of them. Reads the source once.
 *
 * @throws (rejects with) what reading it throws
 */
export async function runOfFold(pipeline: Pipeline, folds: number): Promise<number> {
  const { component, options } = pipeline.source;
  const documents = documentSource({
    files: sourceFiles(pipeline),
    codec: component.codec(options),
    stdin: component.generated?.(options),
    deadLetters: unkeptRecords(pipeline),
    selection: selectionOf(options),
  });
  const none = { records: 0, ofDocuments: false };
  const { records, ofDocuments } = await lastValueFrom(
    documents.pipe(
      reduce((counts, document) => {
        document.delivery?.release();
        document.delivery?.ack();
        return {
          records: counts.records + 1,
          ofDocuments: counts.ofDocuments || (counts.records > 0 && isOfDocument(document)),
        };
      }, none),
    ),
    { defaultValue: none },
  );
  return ofDocuments ? runLength(records, folds) : 1;
}
