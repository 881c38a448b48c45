import { from, type OperatorFunction, pipe } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { isLabelled } from '../../core/minibatch/is-labelled.js';
import type { Registry } from '../../core/registry.js';
import type { Document } from '../../core/sentence/document.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { Model } from '../../models/model.js';
import { featurize } from '../../operators/featurize.js';
import { tokenize } from '../../operators/tokenize.js';
import { sentBad } from '../blocks/bad-in-block.js';
import { BlockReading } from '../blocks/block-reading.js';
import type { BlockTask } from '../blocks/block-task.js';
import { type CodecChoice, codecOf } from '../catalogue/codec-of.js';
import type { SourceComponent } from '../sources/source-component.js';
import { chosenTokenizer, type TokenizeStageOptions } from '../stages/tokenize.js';
import type { ExtractedBlock } from './extraction-task.js';
import { packSentences } from './pack-sentences.js';

/** Reads and encodes blocks of any records by the stages of training in one thread. */
export class BlockExtractor {
  readonly #codec: Codec;
  readonly #stages: OperatorFunction<Document, EncodedSentence>;

  /**
   * @param model gets new labels and features
   * @param sources formats that the codec is one of; those of Tagstream if absent
   */
  constructor(
    model: Model,
    codec: CodecChoice,
    chosen: TokenizeStageOptions | undefined,
    sources?: Registry<SourceComponent>,
  ) {
    this.#codec = codecOf(codec, sources);
    this.#stages = pipe(tokenize(chosenTokenizer(chosen)), featurize(model));
  }

  /** Bad records come with the result; rejects only with what is the program's own fault. */
  async extract(task: BlockTask): Promise<Omit<ExtractedBlock, 'worker' | 'news'>> {
    const labelled: EncodedSentence[] = [];
    const reading = new BlockReading(this.#codec, task);
    for await (const documents of reading.documents) {
      await from(documents)
        .pipe(this.#stages)
        .forEach(encoded => {
          if (isLabelled(encoded)) labelled.push(encoded);
        });
    }
    const { read, blank } = reading;
    const bad = reading.bad.map(sentBad);
    return { sentences: packSentences(labelled), read, blank, bad };
  }
}
