import type { Observable } from 'rxjs';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Model } from '../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../engine/operators/tokenize.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import { readFileBlocks } from '../../io/blocks/read-file-blocks.js';
import type { BlockTask } from '../blocks/block-task.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import { BlockExtractor, type EncodedBlock } from './block-extractor.js';
import { KeptSentence, KeptTexts } from './kept-sentence.js';
import { unpackSentences } from './packed-sentences.js';
import { PlainExtractor } from './plain-extractor.js';
import { encodedBy, noteSentences, type ReadingReport, reportBad, reportBlock } from './reading.js';

export interface ExtractHereOptions extends ReadingReport {
  readonly files: readonly string[];
  /** The codec for `chosen`. */
  readonly codec: Codec;
  readonly chosen: CodecChoice;
  readonly tokenizer: TokenizeOptions;
  /** The model to which labels and features are added; not frozen, without a cutoff. */
  readonly model: Model;
  /** Replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
}

/**
 * Returns the labelled sentences of files, read and encoded in blocks in this thread: plain blocks by `PlainExtractor`,
 * all others record by record, with the same result. The sentences of plain blocks are views that create their strings
 * on demand; no sentence has a pending delivery.
 *
 * Errors with TagstreamError `file` if reading fails, or a bad record's error if the dead letters throw it.
 */
export function extractHere(options: ExtractHereOptions): Observable<EncodedSentence> {
  const { files, codec, stdin, deadLetters, status } = options;
  return encodedBy(async (next, signal) => {
    if (status !== undefined) status.badRecords = deadLetters;
    const extractor = new ExtractorHere(options);
    for await (const item of readFileBlocks(files, { codec, signal, stdin })) {
      if (item.kind === 'bad') {
        reportBad(item.bad, options);
        continue;
      }
      const block = await extractor.extract(item);
      reportBlock(block, options);
      for (const sentence of block.sentences) next(sentence);
      await deadLetters.caughtUp();
    }
  });
}

class ExtractorHere {
  readonly #model: Model;
  readonly #plain: PlainExtractor | undefined;
  readonly #any: BlockExtractor;
  readonly #texts = new KeptTexts();

  constructor({ model, codec, chosen, tokenizer }: ExtractHereOptions) {
    this.#model = model;
    this.#plain = PlainExtractor.of(model, chosen);
    this.#any = new BlockExtractor(model, codec, tokenizer);
  }

  async extract(task: BlockTask): Promise<EncodedBlock> {
    return this.#extractPlain(task) ?? this.#any.extract(task);
  }

  #extractPlain(task: BlockTask): EncodedBlock | undefined {
    const plain = this.#plain;
    const found = plain?.extract(task);
    if (found === undefined) return undefined;
    const { sentences: packed, read, blank } = found;
    const columns = plain!.keptColumns(this.#texts);
    const sentences: readonly EncodedSentence[] = unpackSentences(packed, (id, first, end) => {
      return new KeptSentence(columns, first, end, id);
    });
    noteSentences(this.#model, sentences);
    return { sentences, read, blank, bad: [] };
  }
}
