import { lastValueFrom, tap, toArray } from 'rxjs';
import type { Sentence } from '../core/sentence.js';
import { DeadLetters } from '../io/dead-letters.js';
import { documentSource } from '../io/document-source.js';
import { tokenize } from '../operators/tokenize.js';
import type { RunSetup } from './run-setup.js';
import type { ChosenSource } from './sources/source-component.js';

/**
 * All sentences of a source, in memory: held-out and test data.
 *
 * @throws TagstreamError with the first record that is wrong: scores on a part would mislead
 */
export function readSentences(
  { component, options }: ChosenSource,
  setup: Pick<RunSetup, 'path' | 'tokenizer'>,
): Promise<Sentence[]> {
  const documents = documentSource({
    files: (options.files as string[]).map(file => setup.path(file)),
    codec: component.codec(options),
    stdin: component.generated?.(options),
    deadLetters: new DeadLetters({ policy: 'fail' }),
    selection: { split: options.split, limit: options.limit } as never,
  });
  return lastValueFrom(
    documents.pipe(
      tap(document => {
        document.delivery?.release();
        document.delivery?.ack();
      }),
      tokenize(setup.tokenizer),
      toArray(),
    ),
  );
}
