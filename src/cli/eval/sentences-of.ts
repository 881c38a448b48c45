import { type Observable, tap } from 'rxjs';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Codec } from '../../io/codecs/codec.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { documentSource } from '../../io/sources/document-source.js';
import type { Model } from '../../models/model.js';
import { tokenize } from '../../operators/tokenize.js';
import { modelTokenizer } from '../../pipeline/stages/model-tokenizer.js';

/** A file of records, and what it is written in. */
export interface LabelledInput {
  readonly file: string;
  readonly codec: Codec;
}

/**
 * The sentences of a file, as the model's training data was tokenized; any bad record is an error, as
 * figures on a part would mislead.
 */
export function sentencesOf({ file, codec }: LabelledInput, model: Model): Observable<Sentence> {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  return documentSource({ files: [file], codec, deadLetters }).pipe(
    tokenize(modelTokenizer(model)),
    tap(({ delivery }) => delivery?.release()),
  );
}
