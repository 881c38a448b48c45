// The entry `tagstream/features`: ready-made templates, and word lists that templates use.

// features

export { ClusterCorpus } from '../engine/features/clusters/cluster-corpus.js';
export { learnClusters } from '../engine/features/clusters/learn-clusters.js';
export { presetTemplates } from '../engine/features/presets/preset-templates.js';
export { gazetteer } from '../engine/features/resources/gazetteer.js';
export { quantisedVectors } from '../engine/features/resources/quantised-vectors.js';
export { wordClusters } from '../engine/features/resources/word-clusters.js';

// types

export type { ClusterWords } from '../engine/features/clusters/cluster-corpus.js';
export type {
  ClusteredWord,
  LearnedClusters,
  LearnOptions,
} from '../engine/features/clusters/learn-clusters.js';
export type {
  Gazetteer,
  QuantisedVectors,
  Resources,
  WordClusters,
  WordVectors,
} from '../engine/features/resources/resources.js';
export type { Tokenizer } from '../engine/text/tokenizers/tokenizer.js';
