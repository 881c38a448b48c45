import type { Position } from '../../core/delivery.js';
import type { Document } from '../../core/document.js';
import type { TagstreamError } from '../../core/errors.js';
import { type BadRecord, badRecord } from '../../io/bad-record.js';
import { slices } from '../../io/blocks/slices.js';
import type { Codec, ReadContext } from '../../io/codec.js';
import { SourceDelivery } from '../../io/source-delivery.js';
import type { BlockTask } from './block-task.js';

/** The documents of a block, at their positions in the whole input, and what of it is none. */
export class BlockReading {
  /** Each has a delivery; what rejects it makes a bad record of it. To be read once. */
  readonly documents: AsyncIterable<readonly Document[]>;
  /** Records so far, bad ones among them. */
  records = 0;
  /** Blank lines so far. */
  blank = 0;
  readonly #bad: BadRecord[] = [];

  constructor(codec: Codec, { source, block }: BlockTask) {
    const rejected = (position: Position, raw: string, error: TagstreamError) => {
      this.#bad.push(badRecord(position, raw, error));
    };
    const nothing = () => undefined;
    const owner = { released: nothing, settled: nothing, rejected, absorbed: () => true };
    const context: ReadContext = {
      source,
      from: { offset: block.offset, line: block.line, atLineStart: true },
      onBad: record => {
        this.records += 1;
        this.#bad.push(record);
      },
      onBlank: () => {
        this.blank += 1;
      },
      deliver: (position, raw) => {
        this.records += 1;
        return new SourceDelivery(position, raw, owner);
      },
    };
    this.documents = codec.read(slices(block.bytes), context);
  }

  /** Bad records so far, in the order in which they stand in the input. */
  get bad(): readonly BadRecord[] {
    return this.#bad.sort((a, b) => a.position.start - b.position.start);
  }
}
