import { type Observable, tap } from 'rxjs';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import type { Model } from '../../engine/models/model.js';
import { tokenize } from '../../engine/operators/tokenize.js';
import { DeadLetters } from '../../runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../runtime/io/sources/document-source.js';
import type { DocumentSourceOptions } from '../../runtime/io/sources/source-reading.js';
import type { TokenizeStageOptions } from '../../runtime/pipeline/options/tokenize-options.js';
import { modelTokenizer } from '../../runtime/pipeline/stages/chosen-tokenizer.js';

/** Records and their format. */
export interface LabelledInput
  extends Pick<DocumentSourceOptions, 'codec' | 'selection' | 'transport' | 'stdin'> {
  /** Name of the input in errors and on pages. */
  readonly name: string;
  readonly files: readonly string[];
  /** Tokenization of texts; default: that of the model's training data. */
  readonly tokenize?: TokenizeStageOptions | undefined;
}

/**
 * Reads the sentences of an input, tokenized like the model's training data; any bad record is an
 * error, as figures on part of the data would mislead.
 */
export function sentencesOf(
  { name: _, tokenize: division, ...input }: LabelledInput,
  model: Model,
): Observable<Sentence> {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  return documentSource({ ...input, deadLetters }).pipe(
    tokenize(modelTokenizer(model, division)),
    tap(({ delivery }) => delivery?.release()),
  );
}
