import { from, type OperatorFunction, pipe } from 'rxjs';
import {
  type EncodedSentence,
  isLabelled,
} from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { Model } from '../../../engine/models/model.js';
import { featurize } from '../../../engine/operators/featurize.js';
import { type TokenizeOptions, tokenize } from '../../../engine/operators/tokenize.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { BlockReading } from '../blocks/block-reading.js';
import type { BlockTask, NumberedBad } from '../blocks/block-task.js';

/** The contents found in a block. */
export interface EncodedBlock {
  /** The labelled sentences. */
  readonly sentences: readonly EncodedSentence[];
  /** Number of records, including bad ones and those without labels. */
  readonly read: number;
  /** Number of skipped blank lines. */
  readonly blank: number;
  /** Bad records, in input order. */
  readonly bad: readonly NumberedBad[];
}

/** Reads and encodes blocks of any records, record by record, with the stages of training. */
export class BlockExtractor {
  readonly #codec: Codec;
  readonly #stages: OperatorFunction<Document, EncodedSentence>;

  /** @param model model to which new labels and features are added */
  constructor(model: Model, codec: Codec, tokenizer: TokenizeOptions) {
    this.#codec = codec;
    this.#stages = pipe(tokenize(tokenizer), featurize(model));
  }

  /** Extracts a block. Bad records come with the result; it rejects only because of bugs. */
  async extract(task: BlockTask): Promise<EncodedBlock> {
    const sentences: EncodedSentence[] = [];
    const reading = new BlockReading(this.#codec, task);
    for await (const documents of reading.documents) {
      await from(documents)
        .pipe(this.#stages)
        .forEach(encoded => {
          if (isLabelled(encoded)) sentences.push(encoded);
        });
    }
    const { read, blank, bad } = reading;
    return { sentences, read, blank, bad };
  }
}
