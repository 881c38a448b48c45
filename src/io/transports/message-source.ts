import { isDeepStrictEqual } from 'node:util';
import { eachValue } from '../../plugins/each-value.js';
import type { Message } from '../../plugins/messages.js';
import type { MessageOrigin } from '../../plugins/transport-component.js';
import type { OpenRequest, Transport, TransportStream } from './transport.js';
import { unpackedMessage } from './unpacked-message.js';

/**
 * Messages as streams of bytes, one each, unpacked where they are gzip. A message is acknowledged when all of its records are; one that a resumed run
 * has handled in part is brought on from there.
 *
 * Costs a few microseconds a message; put several records into one where there are many.
 *
 * @example
 * const transport = messageSource({ name: 'queue', read: () => ['{"text": "one"}', '{"text": "two"}'].map(bytes => ({ bytes })) });
 * const documents = documentSource({ transport, codec: ndjsonCodec(), deadLetters: new DeadLetters({ policy: 'skip' }) });
 * (await lastValueFrom(documents.pipe(toArray()))).map(({ text }) => text) // => ['one', 'two']
 */
export function messageSource(place: MessageOrigin): Transport {
  async function* open({ after, budget, signal }: OpenRequest): AsyncGenerator<TransportStream> {
    let number = 0;
    const messages = place.read({ from: after?.cursor, budget, signal });
    for await (const message of eachValue(messages, signal)) {
      const { cursor } = message;
      const resumed = cursor !== undefined && isDeepStrictEqual(cursor, after?.cursor);
      const handled = resumed ? after!.end : 0;
      yield streamOf(message, { name: place.name, cursor: cursor ?? number, handled });
      number += 1;
    }
  }
  const messages = () => place.state?.();
  return { open, lag: () => undefined, messages, close: async () => place.close?.() };
}

function streamOf(
  { bytes, ack, ...message }: Message,
  { name, cursor, handled }: { name: string; cursor: unknown; handled: number },
): TransportStream {
  const { chunk, rejected = message.rejected } = unpackedMessage(bytes);
  const named = typeof cursor === 'number' || typeof cursor === 'string';
  return {
    source: named ? `${name}#${cursor}` : name,
    ...{ offset: 0, line: 1, handled, cursor, rejected, ordered: message.ordered },
    chunks: oneChunk(chunk),
    left: () => undefined,
    close: () => undefined,
    ...(ack === undefined ? {} : { acknowledge: ack }),
  };
}

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}
