import { from, type OperatorFunction, pipe } from 'rxjs';
import type { Document } from '../../core/document.js';
import type { EncodedSentence } from '../../core/encoded-sentence.js';
import { isLabelled } from '../../core/is-labelled.js';
import { ExactIndex } from '../../features/exact-index.js';
import type { FeatureIndex } from '../../features/feature-index.js';
import type { Codec } from '../../io/codec.js';
import { LinearMemory } from '../../kernels/linear-memory.js';
import { Model } from '../../models/model.js';
import { featurize } from '../../operators/featurize.js';
import { tokenize } from '../../operators/tokenize.js';
import { sentBad } from '../blocks/bad-in-block.js';
import { BlockReading } from '../blocks/block-reading.js';
import type { BlockTask } from '../blocks/block-task.js';
import { codecOf } from '../codec-of.js';
import { chosenTokenizer } from '../stages/tokenize.js';
import type { ExtractedBlock, ExtractionSetup } from './extraction-task.js';
import { packSentences } from './pack-sentences.js';
import { PlainExtractor } from './plain-extractor.js';

/**
 * Reads and encodes blocks of whole records as training in one thread does, with labels and features of
 * its own, which grow from block to block.
 */
export class BlockExtractor {
  readonly #codec: Codec;
  readonly #model: Model;
  readonly #stages: OperatorFunction<Document, EncodedSentence>;
  readonly #plain: PlainExtractor | undefined;
  #labelsTold = 0;

  constructor({ spec, codec, tokenize: chosen }: ExtractionSetup) {
    this.#codec = codecOf(codec);
    this.#model = localModel(spec);
    this.#stages = pipe(tokenize(chosenTokenizer(chosen)), featurize(this.#model));
    this.#plain = PlainExtractor.of(this.#model, codec);
  }

  /** Bad records come with the result; rejects only with what is the program's own fault. */
  async extract(task: BlockTask): Promise<Omit<ExtractedBlock, 'worker'>> {
    const plain = this.#plain?.extract(task);
    if (plain !== undefined) return { ...plain, news: this.#news(), bad: [] };
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
    return { sentences: packSentences(labelled), news: this.#news(), read, blank, bad };
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
