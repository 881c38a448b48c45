import { isDeepStrictEqual } from 'node:util';
import type { TagstreamError } from '../../core/errors.js';
import { eachValue } from '../../plugins/each-value.js';
import type { Message } from '../../plugins/messages.js';
import type { MessageOrigin } from '../../plugins/transport-component.js';
import type { MessageStream, OpenRequest, Transport, TransportStream } from './transport.js';
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
  async function* openSome({ after, budget, signal }: OpenRequest) {
    let number = 0;
    const messages = place.read({ from: after?.cursor, budget, signal });
    for await (const some of eachValue(messages, signal)) {
      yield [some].flat().map(message => {
        const { cursor = number } = message;
        number += 1;
        const resumed = message.cursor !== undefined && isDeepStrictEqual(cursor, after?.cursor);
        return new OneMessage(message, place.name, cursor, resumed ? after!.end : 0);
      });
    }
  }
  async function* open(request: OpenRequest): AsyncGenerator<TransportStream> {
    for await (const streams of openSome(request)) yield* streams;
  }
  const messages = () => place.state?.();
  return { open, openSome, lag: () => undefined, messages, close: async () => place.close?.() };
}

class OneMessage implements MessageStream {
  readonly source: string;
  readonly bytes: Uint8Array;
  readonly offset = 0;
  readonly line = 1;
  readonly handled: number;
  readonly cursor: unknown;
  readonly rejected: TagstreamError | undefined;
  readonly unreadable: TagstreamError | undefined;
  readonly ordered: boolean | undefined;
  readonly acknowledge?: () => void;

  /** @param handled bytes of it that the resumed run has handled */
  constructor(
    { bytes, ack, rejected, ordered }: Message,
    name: string,
    cursor: unknown,
    handled: number,
  ) {
    const unpacked = unpackedMessage(bytes);
    const named = typeof cursor === 'number' || typeof cursor === 'string';
    this.source = named ? `${name}#${cursor}` : name;
    this.bytes = unpacked.chunk;
    this.handled = handled;
    this.cursor = cursor;
    this.rejected = rejected;
    this.unreadable = unpacked.unreadable;
    this.ordered = ordered;
    if (ack !== undefined) this.acknowledge = ack;
  }

  get chunks(): AsyncIterable<Uint8Array> {
    return oneChunk(this.bytes);
  }

  left(): undefined {}

  close(): void {}
}

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}
