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
 * What can be measured, in the order in which it is; each gives rows of the table of ratios, or growth
 * tables.
 */
export const sections = {
  uses,
  stages,
  profile,
  kernels,
  sparse,
  models,
  'peers-train': peersTrain,
  'peers-tag': peersTag,
  workers,
  threads,
  objective,
  extraction,
  start,
  streams,
  latency,
  rates,
  annotate,
  serve,
  defaults,
  'growth-tokens': growthTokens,
  'growth-tagging': growthTagging,
  'growth-stream': growthStream,
  'growth-labels': growthLabels,
  'growth-features': growthFeatures,
  'growth-length': growthLength,
};
