import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import {
  FingerprintInterner,
  RowMap,
} from '../../../engine/features/index/fingerprint-interner.js';
import type { PluginModule } from '../../../engine/interfaces/loaded-plugin.js';
import type { Model } from '../../../engine/models/model.js';
import type { ModelSpec } from '../../../engine/models/model-spec.js';
import type { BadInBlock } from '../blocks/block-task.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import { type PackedSentences, RemoteSentence, unpackSentences } from './packed-sentences.js';
import { noteSentences } from './reading.js';

/** The model's numbers for the numbers of a worker. */
interface WorkerNumbers {
  readonly state: RowMap;
  readonly edges: RowMap;
  readonly labels: number[];
}

/**
 * Joins the results of extraction workers into one corpus, with the numbers that one thread would have assigned.
 *
 * Blocks must come in input order. A feature that is not new to a worker was in an earlier block of that worker, so
 * every feature that is new to the model is among the worker's new features, in order of occurrence. Cost: one table
 * lookup per row, one index lookup per new feature of a worker.
 */
export class BlockJoiner {
  readonly #model: Model;
  readonly #workers = new Map<number, WorkerNumbers>();
  readonly #state: FingerprintInterner;
  readonly #edges: FingerprintInterner;

  /** @param model model to which labels and features are added; not frozen, without a cutoff */
  constructor(model: Model) {
    this.#model = model;
    this.#state = new FingerprintInterner(model.stateIndex);
    this.#edges = new FingerprintInterner(model.edgeIndex);
  }

  /** Returns the sentences of a block. Stores them in the block's own arrays, which it modifies. */
  join({ worker, news, sentences: packed }: ExtractedBlock): EncodedSentence[] {
    const model = this.#model;
    const numbers = this.#numbersOf(worker);
    for (const label of news.labels) numbers.labels.push(model.labels.intern(label));
    const { gold, allowed } = packed;
    for (let t = 0; t < gold.length; t += 1) {
      if (gold[t] !== -1) gold[t] = numbers.labels[gold[t]!]!;
    }
    const rows = allowed?.rows ?? [];
    for (let k = 0; k < rows.length; k += 1) rows[k] = numbers.labels[rows[k]!]!;
    if (model.spec.index.mode === 'exact') {
      numbers.state.add(news.state);
      numbers.edges.add(news.edges);
      numbers.state.apply(packed.state.rows);
      if (packed.edges !== undefined) numbers.edges.apply(packed.edges.rows);
    }
    const sentences = unpackSentences(packed, id => new RemoteSentence(id));
    noteSentences(model, sentences);
    return sentences;
  }

  #numbersOf(worker: number): WorkerNumbers {
    let numbers = this.#workers.get(worker);
    if (numbers === undefined) {
      // Row 0 of edges is always the plain transitions.
      const edges = new RowMap(this.#edges, 1);
      numbers = { state: new RowMap(this.#state, 0), edges, labels: [] };
      this.#workers.set(worker, numbers);
    }
    return numbers;
  }
}

/** The settings with which a worker reads and encodes blocks. */
export interface ExtractionSettings {
  readonly spec: ModelSpec;
  readonly codec: CodecChoice;
  /** Options of the stage `tokenize`, if there is one. */
  readonly tokenize: TokenizeStageOptions | undefined;
  /** Plug-ins, which each worker loads itself. */
  readonly modules?: readonly PluginModule[] | undefined;
}

/** A worker's result for a block; rows and labels have the worker's own numbers. */
export interface ExtractedBlock {
  /** The worker's number, unique in the pool. */
  readonly worker: number;
  /** The labelled sentences. */
  readonly sentences: PackedSentences;
  /** Features and labels that were new to the worker, in order of occurrence; they got the next numbers. */
  readonly news: {
    /** Fingerprints, alternating lo and hi. */
    readonly state: Uint32Array<ArrayBuffer>;
    readonly edges: Uint32Array<ArrayBuffer>;
    readonly labels: readonly string[];
  };
  /** Number of records in the block, good and bad. */
  readonly read: number;
  /** Number of skipped blank lines. */
  readonly blank: number;
  /** Bad records, in input order. */
  readonly bad: readonly BadInBlock[];
}
