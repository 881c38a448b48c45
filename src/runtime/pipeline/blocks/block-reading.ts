import type { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { badRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec, ReadContext } from '../../../formats/codecs/codec.js';
import { slices } from '../../io/blocks/block-cutter.js';
import { SourceDelivery } from '../../io/sources/source-delivery.js';
import type { BlockTask, NumberedBad } from './block-task.js';

/** The documents of a block, at their positions in the whole input, and the block's other content. */
export class BlockReading {
  /** Documents with deliveries; a rejected document becomes a bad record. Can be read only once. */
  readonly documents: AsyncIterable<readonly Document[]>;
  /** Number of blank lines so far. */
  blank = 0;
  /** Number of records so far, good and bad. */
  read = 0;
  readonly #bad: NumberedBad[] = [];

  constructor(codec: Codec, { source, block }: BlockTask) {
    const rejected = ({ position, raw, number }: SourceDelivery, error: TagstreamError) => {
      this.#bad.push({ number, bad: badRecord(position, raw, error) });
      return undefined;
    };
    const nothing = () => undefined;
    const owner = { released: nothing, settled: nothing, rejected, absorbed: () => true };
    const context: ReadContext = {
      source,
      from: { offset: block.offset, line: block.line, atLineStart: true },
      onBad: bad => {
        this.read += 1;
        this.#bad.push({ number: this.read, bad });
      },
      onBlank: () => {
        this.blank += 1;
      },
      deliver: (position, raw) => {
        this.read += 1;
        return new SourceDelivery(position, raw, owner, this.read);
      },
    };
    this.documents = codec.read(slices(block.bytes), context);
  }

  /** Bad records so far, in the order of the input. */
  get bad(): readonly NumberedBad[] {
    return this.#bad.sort((a, b) => a.number - b.number);
  }
}
