import type { Position } from '../../core/delivery/delivery.js';
import type { TagstreamError } from '../../core/errors.js';
import { badRecord } from '../bad-records/bad-record.js';
import type { Codec } from '../codecs/codec.js';
import type { TransportStream } from '../transports/transport.js';
import type { DeliveryOwner, SourceDelivery } from './source-delivery.js';

/** The records of one stream on their way: the stream is acknowledged when it has been read and none is left. */
export class StreamRecords implements DeliveryOwner {
  readonly #stream: TransportStream;
  readonly #owner: DeliveryOwner;
  /** Records that are neither acknowledged nor rejected, plus the reading itself. */
  #left = 1;

  constructor(stream: TransportStream, owner: DeliveryOwner) {
    this.#stream = stream;
    this.#owner = owner;
  }

  /** Adds a record; returns this owner if the stream is to be acknowledged, otherwise the owner of all. */
  open(): DeliveryOwner {
    if (this.#stream.acknowledge === undefined) return this.#owner;
    this.#left += 1;
    return this;
  }

  /** Returns the full position of a record: a checkpoint needs the message too. */
  placed(position: Position): Position {
    const { cursor } = this.#stream;
    return cursor === undefined ? position : { ...position, cursor };
  }

  /** A bad record has been reported, or the stream has been read. */
  done(): void {
    if (this.#stream.acknowledge === undefined) return;
    this.#left -= 1;
    if (this.#left === 0) this.#stream.acknowledge();
  }

  released(position: Position): void {
    this.#owner.released(position);
  }

  settled(): void {
    this.#owner.settled();
    this.done();
  }

  rejected(delivery: SourceDelivery, error: TagstreamError, settle: () => void) {
    return this.#owner.rejected(delivery, error, settle);
  }

  /** Each record counts by itself. */
  absorbed(_delivery: SourceDelivery, _next: SourceDelivery): boolean {
    return false;
  }
}

/**
 * Returns the codec that reads a stream: its own, but for an undecodable stream one that turns all bytes into one bad
 * record, as lines of compressed data mean nothing.
 *
 * @example
 * readable(ndjsonCodec(), {}).name // => 'ndjson'
 */
export function readable(
  codec: Codec,
  { unreadable }: { readonly unreadable?: TagstreamError | undefined },
): Codec {
  if (unreadable === undefined) return codec;
  return {
    ...codec,
    // biome-ignore lint/correctness/useYield: nothing in it can be read
    async *read(chunks, { source, wanted, onBad }) {
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      const raw = Buffer.concat(all);
      if (wanted?.(0) === false) return;
      onBad(badRecord({ source, line: 1, start: 0, end: raw.length }, raw, unreadable));
    },
  };
}
