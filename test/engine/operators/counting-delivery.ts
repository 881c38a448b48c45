import type { Delivery, Position } from '../../../src/engine/core/delivery/delivery.js';
import type { TagstreamError } from '../../../src/engine/core/errors.js';

/** A delivery that counts its calls: none is ignored, so that a second one shows. */
export class CountingDelivery implements Delivery {
  readonly position: Position;
  releases = 0;
  acks = 0;
  readonly rejections: TagstreamError[] = [];

  constructor(line = 1) {
    this.position = { source: 'test', line, start: line * 10 - 10, end: line * 10 };
  }

  release(): void {
    this.releases += 1;
  }

  ack(): void {
    this.acks += 1;
  }

  reject(error: TagstreamError): void {
    this.rejections.push(error);
  }

  /** Calls so far: releases, acknowledgements, rejections. */
  get calls(): [releases: number, acks: number, rejections: number] {
    return [this.releases, this.acks, this.rejections.length];
  }
}
