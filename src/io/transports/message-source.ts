import { isDeepStrictEqual } from 'node:util';
import { eachValue } from '../../plugins/each-value.js';
import type { Message, MessageTransport } from '../../plugins/messages.js';
import type { OpenRequest, Transport, TransportStream } from './transport.js';

/**
 * Messages as streams of bytes, one each. A message is acknowledged when all of its records are; one that a resumed run
 * has handled in part is brought on from there.
 *
 * Costs a few microseconds a message; put several records into one where there are many.
 *
 * @example
 * const transport = messageSource({ name: 'queue', read: () => ['{"text": "one"}', '{"text": "two"}'].map(bytes => ({ bytes })) });
 * const documents = documentSource({ transport, codec: ndjsonCodec(), deadLetters: new DeadLetters({ policy: 'skip' }) });
 * (await lastValueFrom(documents.pipe(toArray()))).map(({ text }) => text) // => ['one', 'two']
 */
export function messageSource(place: Required<Pick<MessageTransport, 'name' | 'read'>>): Transport {
  async function* open({ after, signal }: OpenRequest): AsyncGenerator<TransportStream> {
    let number = 0;
    for await (const message of eachValue(place.read({ from: after?.cursor, signal }), signal)) {
      const { cursor } = message;
      const resumed = cursor !== undefined && isDeepStrictEqual(cursor, after?.cursor);
      const handled = resumed ? after!.end : 0;
      yield streamOf(message, { name: place.name, cursor: cursor ?? number, handled });
      number += 1;
    }
  }
  return { open, lag: () => undefined };
}

function streamOf(
  { bytes, ack }: Message,
  { name, cursor, handled }: { name: string; cursor: unknown; handled: number },
): TransportStream {
  const chunk = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const named = typeof cursor === 'number' || typeof cursor === 'string';
  return {
    source: named ? `${name}#${cursor}` : name,
    ...{ offset: 0, line: 1, handled, cursor },
    chunks: oneChunk(chunk),
    left: () => undefined,
    close: () => undefined,
    ...(ack === undefined ? {} : { acknowledge: ack }),
  };
}

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}
