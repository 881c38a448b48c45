import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { FeatureKind } from '../../features/extraction/feature-names.js';
import { FingerprintInterner } from '../../features/index/fingerprint-interner.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { ModelContents } from '../files/model-file.js';
import type { ModelNotes, TemplateSize, TrainingNote } from '../files/model-notes.js';
import type { PassRecord } from '../learning/training-history.js';
import type { Model } from '../model.js';
import { FeatureNamer, type WantedRows } from './feature-namer.js';
import { FeatureWeights } from './feature-weights.js';
import { TrainingSample } from './training-sample.js';

/**
 * Features whose names are kept: a number of each label's strongest features (0 for none), or all.
 */
export type NamesKept = number | 'all';

/**
 * Builds the notes of a model file from its training sentences: sizes by template, and feature
 * names. Add sentences in order until it is `done`.
 */
export class ModelNoter {
  readonly #exact: boolean;
  readonly #weights: FeatureWeights;
  /** Rows of the file's features in the model's indexes. */
  readonly #rows: Readonly<Record<FeatureKind, Uint32Array>>;
  /** The file's features to be named, in file order. */
  readonly #wanted: Readonly<Record<FeatureKind, Uint32Array>>;
  readonly #namer: FeatureNamer;
  readonly #sample = new TrainingSample();

  /**
   * @param model trained model with its indexes
   * @param contents contents of the file to write; its weights may be older than the model's
   */
  constructor(model: Model, contents: ModelContents, kept: NamesKept) {
    this.#exact = contents.header.spec.index.mode === 'exact';
    this.#weights = new FeatureWeights(contents);
    this.#rows = {
      state: contents.stateRows ?? rowsOf(model, 'state', contents),
      edge: this.#weights.hashedEdges ?? rowsOf(model, 'edge', contents),
    };
    const wanted = (kind: FeatureKind) => {
      if (kept === 'all') return Uint32Array.from(this.#rows[kind].keys());
      if (kept === 0) return new Uint32Array(0);
      const strongest = this.#weights.strongest(kind, kept);
      const splitting = kind === 'state' ? this.#weights.splitting(this.#rows.state) : [];
      return Uint32Array.from(new Set([...strongest, ...splitting])).sort();
    };
    this.#wanted = { state: wanted('state'), edge: wanted('edge') };
    this.#namer = new FeatureNamer(model, this.#wantedRows(model));
  }

  /** Whether no more sentences are needed. */
  get done(): boolean {
    return this.#namer.done && this.#sample.isFull;
  }

  /** Adds a labelled sentence of the corpus. */
  addSentence(sentence: Sentence): void {
    this.#addToSample(sentence);
    if (!this.#namer.done) this.#namer.addSentence(sentence);
  }

  /** Adds the encoded sentences of a corpus until no more are needed. */
  addCorpus(corpus: readonly EncodedSentence[]): void {
    for (const encoded of corpus) {
      if (this.done) return;
      this.#addToSample(encoded.sentence);
      if (!this.#namer.done) this.#namer.addEncoded(encoded);
    }
  }

  /** Adds sentences that can be scored, because only these are compared later. Tags and tokens are read lazily. */
  #addToSample(sentence: Sentence): void {
    if (this.#sample.isFull) return;
    if (sentence.tags !== undefined && sentence.weight !== 0) this.#sample.add(sentence);
  }

  /**
   * @param training data to note about training in addition to the sample
   * @param margins whether to keep the margins of passes; default false
   */
  notes(
    passes: readonly PassRecord[],
    training: Omit<TrainingNote, 'sample'>,
    margins = false,
  ): ModelNotes {
    const history = margins ? passes : passes.map(({ margin: _, ...pass }) => pass);
    const templates = { state: this.#sizes('state'), edge: this.#sizes('edge') };
    return {
      history,
      training: { ...training, sample: this.#sample.marks },
      templates,
      names: { state: this.#names('state'), edge: this.#names('edge') },
    };
  }

  #wantedRows(model: Model): WantedRows {
    const flags = (kind: FeatureKind, size: number) => {
      const wanted = new Uint8Array(size);
      for (const feature of this.#wanted[kind]) wanted[this.#rows[kind][feature]!] = 1;
      return wanted;
    };
    return {
      state: flags('state', model.stateIndex.size),
      edge: flags('edge', model.edgeIndex.size),
    };
  }

  #sizes(kind: FeatureKind): TemplateSize[] {
    const numbers = this.#namer.templates(kind);
    const rows = this.#rows[kind];
    const counts = this.#weights.counts(kind, rows.length);
    const templates = this.#namer.templateCount(kind) + 1;
    const templateOf = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) templateOf[i] = numbers[rows[i]!]!;
    const byLabel = this.#weights.byLabel(kind, templateOf, templates);
    const labels = byLabel.length / templates;
    // Three counts per template; the first three are for features without a template.
    const sums = new Float64Array(3 * templates);
    for (let row = 0; row < numbers.length; row += 1) sums[3 * numbers[row]!]! += 1;
    for (let i = 0; i < rows.length; i += 1) {
      const at = 3 * templateOf[i]!;
      sums[at + 1]! += 1;
      sums[at + 2]! += counts[i]!;
    }
    return Array.from({ length: this.#namer.templateCount(kind) }, (_, template) => {
      const [met, kept, weights] = sums.subarray(3 * template + 3);
      const own = byLabel.subarray((template + 1) * labels, (template + 2) * labels);
      return { met: met!, kept: kept!, weights: weights!, labels: [...own] };
    });
  }

  /** Returns names by the features' rows in the model read from the file. */
  #names(kind: FeatureKind): ReadonlyMap<number, string> {
    const found = this.#namer.names(kind);
    const names = new Map<number, string>();
    for (const feature of this.#wanted[kind]) {
      const row = this.#rows[kind][feature]!;
      const name = found.get(row);
      if (name !== undefined) names.set(this.#exact ? feature : row, name);
    }
    return names;
  }
}

/** Returns rows in an index of the model, feature by feature; does not add unknown fingerprints. */
function rowsOf(model: Model, kind: FeatureKind, { sections }: ModelContents): Uint32Array {
  const index = kind === 'state' ? model.stateIndex : model.edgeIndex;
  const keys = sections[kind === 'state' ? 'state.keys' : 'edges.keys'] as Uint32Array;
  return canGrow(index) ? new FingerprintInterner(index).rowsOf(keys) : keys;
}
