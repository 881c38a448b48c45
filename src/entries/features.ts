// The entry `tagstream/features`: ready-made templates, and word lists that templates use.

// features

export { ClusterCorpus } from '../features/clusters/cluster-corpus.js';
export { learnClusters } from '../features/clusters/learn-clusters.js';
export { presetTemplates } from '../features/presets/preset-templates.js';
export { gazetteer } from '../features/resources/gazetteer.js';
export { quantisedVectors } from '../features/resources/quantised-vectors.js';
export { wordClusters } from '../features/resources/word-clusters.js';

// types

export type { ClusterWords } from '../features/clusters/cluster-corpus.js';
export type {
  ClusteredWord,
  LearnedClusters,
  LearnOptions,
} from '../features/clusters/learn-clusters.js';
export type {
  Gazetteer,
  QuantisedVectors,
  Resources,
  WordClusters,
  WordVectors,
} from '../features/resources/resources.js';
export type { Tokenizer } from '../text/tokenizers/tokenizer.js';
