import { from, type OperatorFunction, pipe } from 'rxjs';
import type { Position } from '../../core/delivery.js';
import type { Document } from '../../core/document.js';
import type { EncodedSentence } from '../../core/encoded-sentence.js';
import type { TagstreamError } from '../../core/errors.js';
import { ExactIndex } from '../../features/exact-index.js';
import type { FeatureIndex } from '../../features/feature-index.js';
import { type BadRecord, badRecord } from '../../io/bad-record.js';
import { slices } from '../../io/blocks/slices.js';
import type { Codec, ReadContext } from '../../io/codec.js';
import { SourceDelivery } from '../../io/source-delivery.js';
import { LinearMemory } from '../../kernels/linear-memory.js';
import { Model } from '../../models/model.js';
import { featurize } from '../../operators/featurize.js';
import { tokenize } from '../../operators/tokenize.js';
import { portableError } from '../../workers/portable-error.js';
import { codecOf } from '../codec-of.js';
import { chosenTokenizer } from '../stages/tokenize.js';
import type { BlockTask } from '../tagging/block-task.js';
import type { ExtractedBlock, ExtractionSetup } from './extraction-task.js';
import { packSentences } from './pack-sentences.js';

/**
 * Reads and encodes blocks of whole records as training in one thread does, with labels and features of
 * its own, which grow from block to block.
 */
export class BlockExtractor {
  readonly #codec: Codec;
  readonly #model: Model;
  readonly #stages: OperatorFunction<Document, EncodedSentence>;
  #labelsTold = 0;

  constructor({ spec, codec, tokenize: chosen }: ExtractionSetup) {
    this.#codec = codecOf(codec);
    this.#model = localModel(spec);
    this.#stages = pipe(tokenize(chosenTokenizer(chosen)), featurize(this.#model));
  }

  /** Bad records come with the result; rejects only with what is the program's own fault. */
  async extract({ source, block }: BlockTask): Promise<Omit<ExtractedBlock, 'worker'>> {
    const labelled: EncodedSentence[] = [];
    const bad: BadRecord[] = [];
    let blank = 0;
    const rejected = (position: Position, raw: string, error: TagstreamError) => {
      bad.push(badRecord(position, raw, error));
    };
    const owner = { released: () => undefined, settled: () => undefined, rejected };
    const context: ReadContext = {
      source,
      from: { offset: block.offset, line: block.line, atLineStart: true },
      onBad: record => bad.push(record),
      onBlank: () => {
        blank += 1;
      },
      deliver: (position, raw) => new SourceDelivery(position, raw, owner),
    };
    for await (const documents of this.#codec.read(slices(block.bytes), context)) {
      await from(documents)
        .pipe(this.#stages)
        .forEach(encoded => {
          if (encoded.gold !== undefined) labelled.push(encoded);
        });
    }
    bad.sort((a, b) => a.position.start - b.position.start);
    return {
      sentences: packSentences(labelled),
      news: this.#news(),
      blank,
      bad: bad.map(({ error, ...place }) => ({ ...place, error: portableError(error) })),
    };
  }

  #news(): ExtractedBlock['news'] {
    const { labels, stateIndex, edgeIndex } = this.#model;
    const fresh = labels.names.slice(this.#labelsTold);
    this.#labelsTold = labels.size;
    return { state: newFeatures(stateIndex), edges: newFeatures(edgeIndex), labels: fresh };
  }
}

/** An empty model that notes its new features; which pairs are observed is seen where all is joined. */
function localModel(spec: ExtractionSetup['spec']): Model {
  const local = { ...spec, support: 'all' } as const;
  if (spec.index.mode === 'hashed') return new Model(local);
  const memory = new LinearMemory();
  const stateIndex = new ExactIndex(1, memory);
  const edgeIndex = new ExactIndex(1, memory);
  for (const index of [stateIndex, edgeIndex]) index.takeNew();
  return new Model(local, { stateIndex, edgeIndex });
}

/** Rows of a hashed index mean the same everywhere. */
function newFeatures(index: FeatureIndex): Uint32Array<ArrayBuffer> {
  return index instanceof ExactIndex ? index.takeNew() : new Uint32Array(0);
}
