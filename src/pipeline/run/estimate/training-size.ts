import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { Model } from '../../../models/model.js';

/** What decides how much memory a training takes. */
export interface TrainingSize {
  readonly sentences: number;
  readonly tokens: number;
  /** Columns beside the tokens. */
  readonly columns: number;
  /** Features that are active at a token, on average. */
  readonly active: number;
  /** Those of them that have a value beside them; none if absent. */
  readonly valued?: number;
  readonly labels: number;
  /** State features. */
  readonly features: number;
  /** Features of transitions, beside the plain ones. */
  readonly edges: number;
  /** Pairs of state features and labels that have a place, where weights are stored for these alone. */
  readonly pairs: number | undefined;
}

/** Sentences that are looked at for the features of a token. */
const looked = 2000;

/** The size of a corpus that has been read, for a model that knows all of its features. Cost that of 2,000 sentences. */
export function trainingSize(model: Model, corpus: readonly EncodedSentence[]): TrainingSize {
  const { labels, stateIndex, edgeIndex, parameters } = model;
  let tokens = 0;
  for (const { length } of corpus) tokens += length;
  const step = Math.max(1, Math.floor(corpus.length / looked));
  let some = 0;
  let rows = 0;
  let values = 0;
  for (let i = 0; i < corpus.length; i += step) {
    const { length, stateRows, stateValues } = corpus[i]!;
    some += length;
    rows += stateRows.length;
    values += stateValues?.length ?? 0;
  }
  return {
    sentences: corpus.length,
    tokens,
    columns: Object.keys(corpus[0]!.sentence.columns).length,
    active: rows / some,
    ...(values === 0 ? {} : { valued: values / some }),
    labels: labels.size,
    features: stateIndex.size,
    edges: edgeIndex.size,
    pairs: parameters.statePairs?.known,
  };
}
