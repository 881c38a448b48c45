import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import {
  allowedRowsOf,
  edgeRowsOf,
  type PackedRows,
  stateRowsOf,
} from '../../../engine/core/minibatch/packed-rows.js';
import { ExactIndex } from '../../../engine/features/index/exact-index.js';
import type { FeatureIndex } from '../../../engine/features/index/feature-index.js';
import { canGrow } from '../../../engine/features/index/placed-index.js';
import { LinearMemory } from '../../../engine/kernels/memory/linear-memory.js';
import { Model } from '../../../engine/models/model.js';
import { type BlockTask, sentBad } from '../blocks/block-task.js';
import type { PluginParts } from '../plugins/plugin-parts.js';
import type { BlockExtractor } from './block-extractor.js';
import type { ExtractedBlock, ExtractionSettings } from './block-joiner.js';
import type { PackedFeatures, PackedSentences } from './packed-sentences.js';
import { PlainExtractor } from './plain-extractor.js';

/**
 * Reads and encodes blocks of whole records as training in one thread does: plain blocks on the fast path
 * (`PlainExtractor`), others on the slow one. It has its own labels and features, which grow from block to block.
 */
export class MixedExtractor {
  readonly #model: Model;
  readonly #plain: PlainExtractor | undefined;
  readonly #makeAny: () => Promise<BlockExtractor>;
  #any: Promise<BlockExtractor> | undefined;
  #labelsSent = 0;

  /** @param plugins plug-ins, if any; the specification does not contain their functions */
  constructor({ spec, codec, tokenize }: ExtractionSettings, plugins?: PluginParts) {
    this.#model = localModel(
      plugins === undefined ? spec : { ...spec, functions: plugins.functions },
    );
    this.#plain = PlainExtractor.of(this.#model, codec);
    // Loaded on demand: many inputs are plain, and workers start faster without it.
    this.#makeAny = async () => {
      const { BlockExtractor } = await import('./block-extractor.js');
      const { codecOf } = await import('../catalogue/codec-of.js');
      const { pipelineTokenizer } = await import('../stages/tokenizer-file.js');
      const chosen = codecOf(codec, plugins?.sources);
      return new BlockExtractor(this.#model, chosen, pipelineTokenizer(tokenize));
    };
  }

  /** Extracts a block. Bad records come with the result; it rejects only because of bugs. */
  async extract(task: BlockTask): Promise<Omit<ExtractedBlock, 'worker'>> {
    const extracted = this.#plain?.extract(task) ?? (await this.#extractAny(task));
    return { bad: [], ...extracted, news: this.#news() };
  }

  async #extractAny(task: BlockTask) {
    this.#any ??= this.#makeAny();
    const { sentences, read, blank, bad } = await (await this.#any).extract(task);
    return { sentences: packSentences(sentences), read, blank, bad: bad.map(sentBad) };
  }

  #news(): ExtractedBlock['news'] {
    const { labels, stateIndex, edgeIndex } = this.#model;
    const fresh = labels.names.slice(this.#labelsSent);
    this.#labelsSent = labels.size;
    return { state: newFeatures(stateIndex), edges: newFeatures(edgeIndex), labels: fresh };
  }
}

/** Returns an empty model that records its new features; the observed pairs are determined when blocks are joined. */
function localModel(spec: ExtractionSettings['spec']): Model {
  const { compressed: _, ...rest } = spec;
  const local = { ...rest, support: 'all' } as const;
  if (spec.index.mode === 'hashed') return new Model(local);
  const memory = new LinearMemory();
  const stateIndex = new ExactIndex(1, memory);
  const edgeIndex = new ExactIndex(1, memory);
  for (const index of [stateIndex, edgeIndex]) index.takeNew();
  return new Model(local, { stateIndex, edgeIndex });
}

/** Rows of a hashed index have the same meaning in all workers. */
function newFeatures(index: FeatureIndex): Uint32Array<ArrayBuffer> {
  return canGrow(index) ? index.takeNew() : new Uint32Array(0);
}

/**
 * Packs labelled sentences; of the records, only the ids are kept. Cost O(features).
 *
 * @param sentences either all with transition features, or none
 */
function packSentences(sentences: readonly EncodedSentence[]): PackedSentences {
  const lengths = Uint32Array.from(sentences, ({ length }) => length);
  const gold = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let token = 0;
  for (const sentence of sentences) {
    if (sentence.gold === undefined) gold.fill(-1, token, token + sentence.length);
    else gold.set(sentence.gold, token);
    token += sentence.length;
  }
  const hasEdges = sentences[0]?.edgeStarts !== undefined;
  const isPartial = sentences.some(({ allowed }) => allowed !== undefined);
  const isWeighted = sentences.some(({ weight }) => weight !== undefined);
  const ids = sentences.map(({ sentence }) => sentence.document.id);
  return {
    lengths,
    state: packFeatures(sentences.map(stateRowsOf)),
    edges: hasEdges ? packFeatures(sentences.map(edgeRowsOf)) : undefined,
    gold,
    allowed: isPartial ? packFeatures(sentences.map(allowedRowsOf)) : undefined,
    weights: isWeighted ? Float64Array.from(sentences, ({ weight = 1 }) => weight) : undefined,
    ids: ids.some(id => id !== undefined) ? ids : undefined,
  };
}

function packFeatures(parts: readonly PackedRows[]): PackedFeatures {
  let startCount = 0;
  let rowCount = 0;
  let valueCount = 0;
  for (const { starts, rows, values } of parts) {
    startCount += starts.length;
    rowCount += rows.length;
    valueCount += values?.length ?? 0;
  }
  const starts = new Uint32Array(startCount);
  const rows = new Uint32Array(rowCount);
  const values = new Float64Array(valueCount);
  let start = 0;
  let row = 0;
  let value = 0;
  for (const part of parts) {
    starts.set(part.starts, start);
    start += part.starts.length;
    rows.set(part.rows, row);
    row += part.rows.length;
    if (part.values === undefined) continue;
    values.set(part.values, value);
    value += part.values.length;
  }
  if (valueCount === 0) return { starts, rows, values: undefined, valued: undefined };
  const valued = Uint8Array.from(parts, part => (part.values === undefined ? 0 : 1));
  return { starts, rows, values, valued };
}
