import { growthFeatures } from '../growth/features.mjs';
import { growthLabels } from '../growth/labels.mjs';
import { growthLength } from '../growth/length.mjs';
import { growthStream } from '../growth/stream.mjs';
import { growthTagging } from '../growth/tagging.mjs';
import { growthTokens } from '../growth/tokens.mjs';
import { annotate } from './annotate.mjs';
import { defaults } from './defaults.mjs';
import { extraction } from './extraction.mjs';
import { kernels } from './kernels.mjs';
import { latency } from './latency.mjs';
import { models } from './models.mjs';
import { objective } from './objective.mjs';
import { peersTag } from './peers-tag.mjs';
import { peersTrain } from './peers-train.mjs';
import { profile } from './profile.mjs';
import { rates } from './rates.mjs';
import { serve } from './serve.mjs';
import { sparse } from './sparse.mjs';
import { stages } from './stages.mjs';
import { start } from './start.mjs';
import { streams } from './streams.mjs';
import { threads } from './threads.mjs';
import { uses } from './uses.mjs';
import { workers } from './workers.mjs';

/**
 * What can be measured, in the order in which it is: the question, and what measures rows of the table of ratios or growth
 * tables.
 */
export const sections = {
  uses: { question: 'What does each thing cost that `tag` is asked for?', measure: uses },
  stages: { question: 'What does each stage of tagging and training take?', measure: stages },
  profile: { question: 'Where does training spend its time?', measure: profile },
  kernels: { question: 'How do the kernels compare?', measure: kernels },
  sparse: { question: 'When do lists of active transitions pay?', measure: sparse },
  models: { question: 'What do other models than the chain cost?', measure: models },
  'peers-train': {
    question: 'How fast do other programs train the same model?',
    measure: peersTrain,
  },
  'peers-tag': { question: 'How fast do other programs tag the same text?', measure: peersTag },
  workers: { question: 'What do two workers gain?', measure: workers },
  threads: { question: 'What does a second thread gain in online training?', measure: threads },
  objective: { question: 'What does a second thread gain in L-BFGS?', measure: objective },
  extraction: { question: 'How fast are features extracted?', measure: extraction },
  start: { question: 'How long does a process take to start and to load a model?', measure: start },
  streams: { question: 'What does NATS cost beside a file?', measure: streams },
  latency: { question: 'How long does one record wait for its answer?', measure: latency },
  rates: { question: 'How fast does one process tag once it is warm?', measure: rates },
  annotate: { question: 'How long does an annotator wait?', measure: annotate },
  serve: { question: 'What does the service cost beside its HTTP library?', measure: serve },
  defaults: { question: 'Is what `init` writes the best choice?', measure: defaults },
  'growth-tokens': {
    question: 'Does training time a token grow with the corpus?',
    measure: growthTokens,
  },
  'growth-tagging': {
    question: 'Does tagging time a token grow with the text?',
    measure: growthTagging,
  },
  'growth-stream': { question: 'Does memory grow with the stream?', measure: growthStream },
  'growth-labels': { question: 'How does time grow with the labels?', measure: growthLabels },
  'growth-features': {
    question: 'How does time grow with the templates?',
    measure: growthFeatures,
  },
  'growth-length': {
    question: 'How does time grow with the length of sentences?',
    measure: growthLength,
  },
};
