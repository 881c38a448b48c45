import type { Position } from '../../core/delivery/delivery.js';
import type { TagstreamError } from '../../core/errors.js';
import type { TransportStream } from '../transports/transport.js';
import type { DeliveryOwner, SourceDelivery } from './source-delivery.js';

/** The records of one stream on their way: the stream is acknowledged when it has been read and none is left. */
export class StreamRecords implements DeliveryOwner {
  readonly #stream: TransportStream;
  readonly #owner: DeliveryOwner;
  /** Records that are neither acknowledged nor rejected, and the reading itself. */
  #left = 1;

  constructor(stream: TransportStream, owner: DeliveryOwner) {
    this.#stream = stream;
    this.#owner = owner;
  }

  /** One record more; its owner where the stream is to be acknowledged, the owner of all where it is not. */
  open(): DeliveryOwner {
    if (this.#stream.acknowledge === undefined) return this.#owner;
    this.#left += 1;
    return this;
  }

  /** The whole position of a record: a checkpoint has to know the message too. */
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

  rejected(
    position: Position,
    raw: string,
    error: TagstreamError,
    number: number,
    settle: () => void,
  ): boolean | undefined {
    return this.#owner.rejected(position, raw, error, number, settle);
  }

  /** Each record counts by itself. */
  absorbed(_delivery: SourceDelivery, _next: SourceDelivery): boolean {
    return false;
  }
}
