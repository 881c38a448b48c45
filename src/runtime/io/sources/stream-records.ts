import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { TagstreamError } from '../../../engine/core/errors.js';
import { badRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { TransportStream } from '../transports/transport.js';
import type { DeliveryOwner, SourceDelivery } from './source-delivery.js';

/** The records of one stream in progress: the stream is acknowledged when it has been read and no record is left. */
export class StreamRecords implements DeliveryOwner {
  readonly #stream: TransportStream;
  readonly #owner: DeliveryOwner;
  /** Number of records neither acknowledged nor rejected, plus one for the reading itself. */
  #left = 1;

  constructor(stream: TransportStream, owner: DeliveryOwner) {
    this.#stream = stream;
    this.#owner = owner;
  }

  /** Adds a record; returns this owner if the stream is to be acknowledged, otherwise the owner of all streams. */
  open(): DeliveryOwner {
    if (this.#stream.acknowledge === undefined) return this.#owner;
    this.#left += 1;
    return this;
  }

  /** Returns the full position of a record: checkpoints and ids of results also need the message. */
  placed(position: Position): Position {
    const { cursor, identity } = this.#stream;
    return cursor === undefined ? position : { ...position, cursor, identity };
  }

  /** Counts a bad record that has been reported, or the end of reading. */
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

  /** Returns false, because each record counts separately. */
  absorbed(_delivery: SourceDelivery, _next: SourceDelivery): boolean {
    return false;
  }
}

/**
 * Returns the codec for reading a stream: its own, or for an undecodable stream one that makes all bytes one bad
 * record, because lines of compressed data are meaningless.
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
