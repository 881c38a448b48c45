import { grouped } from '../../../engine/core/wording/numbers.js';
import type { Pipeline } from './pipeline.js';

/**
 * Describes how large a model that learns from a stream gets, and what happens then; undefined for pipelines that learn
 * nothing, or learn from a corpus read as a whole.
 *
 * @example
 * const stages = 'stages: [featurize: { templates: ["U:%x[0,0]"], maxFeatures: 1000 }, batch, contribute, optimize: { sgd: {} }]';
 * const file = `version: 1\nname: a\nsource: { ndjson: {} }\n${stages}\ntrain: { corpusSize: 100 }`;
 * growthNote(parsePipeline(file, 'a.yaml'))
 * // => 'the model keeps at most 1,000 features and 1,024 MiB; beyond that it evicts the features with the smallest weights, which count less the longer they are unseen'
 */
export function growthNote({ plan }: Pick<Pipeline, 'plan'>): string | undefined {
  const { limit, options } = plan.features;
  if (limit === undefined) return undefined;
  const { hashed } = options;
  if (hashed !== undefined) {
    const [rows, edgeRows] = [hashed.rows, hashed.edgeRows].map(grouped);
    return `the model has ${rows} rows for token features and ${edgeRows} for transition features, regardless of the length of the stream`;
  }
  const bytes = `${grouped(Math.floor(limit.bytes / 2 ** 20))} MiB`;
  return `the model keeps at most ${grouped(limit.features)} features and ${bytes}; beyond that it evicts the features with the smallest weights, which count less the longer they are unseen`;
}
