import { lastValueFrom, tap, toArray } from 'rxjs';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { readsOnce } from '../../io/reading/reads-once.js';
import { documentSource } from '../../io/sources/document-source.js';
import { tokenize } from '../../operators/tokenize.js';
import type { RunSetup } from '../definition/run-setup.js';
import { transportSetting } from '../definition/transport-setting.js';
import { filesOf, selectionOf } from '../sources/common-options.js';
import type { ChosenSource } from '../sources/source-component.js';

/**
 * All sentences of a source, in memory: held-out and test data.
 *
 * @param deadLetters what is done with records that are wrong: by default the first one ends it, as scores on a part would
 *   mislead
 * @throws (rejects with) TagstreamError with the first record that is wrong, where that ends it; the
 *   reason of the run's signal where that ends the wait for the writer of a pipe
 */
export async function readSentences(
  { component, options }: ChosenSource,
  setup: Pick<RunSetup, 'path' | 'tokenizer' | 'signal'>,
  deadLetters = new DeadLetters({ policy: 'fail' }),
): Promise<Sentence[]> {
  const files = filesOf(options).map(file => setup.path(file));
  // Files are read to their end, also by a run that is to end in order.
  const signal = options.from !== undefined || files.some(readsOnce) ? setup.signal : undefined;
  const transport = component.transport?.(options, transportSetting(setup, false));
  const documents = documentSource({
    files,
    transport,
    codec: component.codec(options),
    stdin: component.generated?.(options),
    signal,
    deadLetters,
    selection: selectionOf(options),
  });
  const read = lastValueFrom(
    documents.pipe(
      tokenize(setup.tokenizer),
      tap(({ delivery }) => {
        delivery?.release();
        delivery?.ack();
      }),
      toArray(),
    ),
  );
  const sentences = await read.finally(() => transport?.close?.());
  signal?.throwIfAborted();
  return sentences;
}
