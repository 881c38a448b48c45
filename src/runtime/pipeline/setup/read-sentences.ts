import { identity, lastValueFrom, type OperatorFunction, tap, toArray } from 'rxjs';
import type { Delivery } from '../../../engine/core/delivery/delivery.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { type TokenizeOptions, tokenize } from '../../../engine/operators/tokenize.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { documentSource } from '../../io/sources/document-source.js';
import { transportSetting } from '../definition/places.js';
import type { PipelinePaths } from '../definition/run-context.js';
import { type ChosenSource, filesOf, selectionOf } from '../sources/source-component.js';

/** How sentences are read. */
export interface SentenceReading {
  readonly paths: Pick<PipelinePaths, 'resolve'>;
  /** How documents are divided into sentences. */
  readonly tokenizer: TokenizeOptions;
  /** Ends the wait for the writer of a pipe. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads all sentences of a source into memory: held-out and test data.
 *
 * @param deadLetters treatment of bad records; by default the first one ends reading, because scores on a part would be
 *   misleading
 * @throws (rejects with) the TagstreamError of the first bad record, if it ends reading; the signal's reason, if the
 *   signal ends the wait for the writer of a pipe
 */
export function readSentences(
  source: ChosenSource,
  reading: SentenceReading,
  deadLetters = new DeadLetters({ policy: 'fail' }),
): Promise<Sentence[]> {
  return readAll(source, reading, deadLetters, tokenize(reading.tokenizer));
}

/** Reads all records of a source into memory, like `readSentences`. */
export function readDocuments(
  source: ChosenSource,
  reading: Omit<SentenceReading, 'tokenizer'>,
  deadLetters: DeadLetters,
): Promise<Document[]> {
  return readAll(source, reading, deadLetters, identity);
}

async function readAll<Item extends { readonly delivery?: Delivery }>(
  { component, options }: ChosenSource,
  { paths, signal: ending }: Omit<SentenceReading, 'tokenizer'>,
  deadLetters: DeadLetters,
  into: OperatorFunction<Document, Item>,
): Promise<Item[]> {
  const files = filesOf(options).map(file => paths.resolve(file));
  // Files are read to their end, even by a run that is shutting down.
  const signal = options.from !== undefined || files.some(readsOnce) ? ending : undefined;
  const transport = component.transport?.(options, transportSetting(paths, false));
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
      into,
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
