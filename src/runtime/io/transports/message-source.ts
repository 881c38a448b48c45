import { isDeepStrictEqual } from 'node:util';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { requireKnown } from '../../../engine/core/schema/require-argument.js';
import type { MessageOrigin } from '../../../engine/interfaces/loaded-plugin.js';
import type { Message } from '../../../engine/interfaces/messages.js';
import { shortDigest } from '../../../formats/files/node-parts.js';
import { defaultMaxLineBytes } from '../../../formats/lines/line-splitter.js';
import { isGzip } from '../../../formats/reading/first-bytes.js';
import { gunzipWhole, reasonOf, tooLarge } from '../../../formats/reading/read-text.js';
import { eachValue } from '../../plugins/each-value.js';
import type { MessageStream, OpenRequest, Transport, TransportStream } from './transport.js';

/**
 * Returns a transport in which each message is a stream of bytes; gzip is decompressed. A message is acknowledged when
 * all of its records are; a message that a resumed run has handled in part continues from there.
 *
 * A message is decompressed when its turn comes. Costs a few microseconds per message: if there are many records, put
 * several into one message.
 *
 * @param options.maxLineBytes maximum number of bytes of a record; a message that decompresses to more, and to more
 *   than 16 MiB, is one bad record (`too-long`). Default 16 MiB
 * @example
 * const transport = messageSource({ name: 'queue', read: () => ['{"text": "one"}', '{"text": "two"}'].map(bytes => ({ bytes })) });
 * const documents = documentSource({ transport, codec: ndjsonCodec(), deadLetters: new DeadLetters({ policy: 'skip' }) });
 * (await lastValueFrom(documents.pipe(toArray()))).map(({ text }) => text) // => ['one', 'two']
 */
export function messageSource(
  place: MessageOrigin,
  options: { readonly maxLineBytes?: number | undefined } = {},
): Transport {
  requireKnown('messageSource', options, ['maxLineBytes']);
  const { maxLineBytes } = options;
  async function* openSome({ after, budget, signal }: OpenRequest) {
    let number = 0;
    const messages = place.read({ from: after?.cursor, budget, signal });
    for await (const some of eachValue(messages, signal)) {
      yield [some].flat().map(message => {
        const { cursor = number } = message;
        number += 1;
        const resumed = message.cursor !== undefined && isDeepStrictEqual(cursor, after?.cursor);
        const handled = resumed ? after!.end : 0;
        const own = new OneMessage(message, { name: place.name, cursor, handled, maxLineBytes });
        if (resumed) requireSame(own, after!);
        return own;
      });
    }
  }
  async function* open(request: OpenRequest): AsyncGenerator<TransportStream> {
    for await (const streams of openSome(request)) yield* streams;
  }
  const messages = () => place.state?.();
  return { open, openSome, lag: () => undefined, messages, close: async () => place.close?.() };
}

/** Context of a message. */
interface MessagePlace {
  /** Name of the transport. */
  readonly name: string;
  readonly cursor: unknown;
  /** Number of bytes of the message that the resumed run has handled. */
  readonly handled: number;
  readonly maxLineBytes: number | undefined;
}

class OneMessage implements MessageStream {
  readonly source: string;
  readonly offset = 0;
  readonly line = 1;
  readonly handled: number;
  readonly cursor: unknown;
  readonly rejected: TagstreamError | undefined;
  readonly ordered: boolean | undefined;
  readonly acknowledge?: () => void;

  readonly #given: Message['bytes'];
  #identity: string | undefined;
  readonly #maxLineBytes: number | undefined;
  /** The decompressed message; undefined once it is acknowledged. */
  #unpacked: ReturnType<typeof unpackedMessage> | undefined;

  constructor(
    { bytes, ack, rejected, ordered, identity }: Message,
    { name, cursor, handled, maxLineBytes }: MessagePlace,
  ) {
    this.#given = bytes;
    this.#identity = identity;
    this.#maxLineBytes = maxLineBytes;
    const named = typeof cursor === 'number' || typeof cursor === 'string';
    this.source = named ? `${name}#${cursor}` : name;
    this.handled = handled;
    this.cursor = cursor;
    this.rejected = rejected;
    this.ordered = ordered;
    if (ack === undefined) return;
    this.acknowledge = () => {
      this.#unpacked = undefined;
      ack();
    };
  }

  get identity(): string {
    this.#identity ??= shortDigest(this.#given);
    return this.#identity;
  }

  get bytes(): Uint8Array {
    return this.#contents.chunk;
  }

  get unreadable(): TagstreamError | undefined {
    return this.#contents.unreadable;
  }

  get #contents(): ReturnType<typeof unpackedMessage> {
    this.#unpacked ??= unpackedMessage(this.#given, this.#maxLineBytes);
    return this.#unpacked;
  }

  get chunks(): AsyncIterable<Uint8Array> {
    return oneChunk(this.bytes);
  }

  left(): undefined {}

  close(): void {}
}

/** @throws TagstreamError `checkpoint` if a message is not the one that the resumed run had begun or handled */
function requireSame({ source, identity }: OneMessage, after: Position): void {
  if (after.identity === undefined || after.identity === identity) return;
  throw new TagstreamError(
    'checkpoint',
    'the message at the place of the checkpoint is not the one that the run had read: the stream was replaced',
    { place: { source }, fix: 'give the same stream, or start again without --resume' },
  );
}

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}

/**
 * Returns the bytes of a message, decompressed if they are gzip. A message that decompresses to more bytes than a
 * record may have is rejected as soon as this is detected; none of it is kept.
 *
 * @param maxLineBytes maximum number of bytes of a record; 16 MiB are accepted in any case
 * @returns the decompressed bytes; if that is impossible, the original bytes, and the reason why the message is
 *   rejected as one record
 * @example
 * unpackedMessage('{}').chunk.length // => 2
 */
export function unpackedMessage(
  bytes: Uint8Array | string,
  maxLineBytes = defaultMaxLineBytes,
): {
  chunk: Uint8Array;
  unreadable?: TagstreamError;
} {
  if (typeof bytes === 'string') return { chunk: Buffer.from(bytes) };
  if (!isGzip(bytes)) return { chunk: bytes };
  const most = Math.max(maxLineBytes, defaultMaxLineBytes);
  try {
    return { chunk: gunzipWhole(bytes, most) };
  } catch (cause) {
    return { chunk: bytes, unreadable: unreadable(cause, most) };
  }
}

function unreadable(cause: unknown, most: number): TagstreamError {
  const reason = reasonOf(cause);
  if (reason === tooLarge) {
    return new TagstreamError(
      'too-long',
      `the message has more than ${most} bytes after decompression`,
      {
        fix: 'raise maxLineBytes, or send fewer records in a message',
      },
    );
  }
  const problem = `cannot decompress the message: its gzip data ${reason}`;
  return new TagstreamError('stage', problem, { fix: 'send whole gzip files', cause });
}
