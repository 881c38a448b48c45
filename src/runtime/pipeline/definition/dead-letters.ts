import { resolve } from 'node:path';
import type { Policy } from '../../../formats/bad-records/bad-record.js';
import { type DeadLetterOptions, DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { Pipeline } from './pipeline.js';

/**
 * Returns the dead-letter options of a pipeline file.
 *
 * By default they are skipped in NDJSON and in a stream, but end the reading of a corpus in another format.
 *
 * @example
 * const file = 'version: 1\nname: a\nsource: { ndjson: {} }\nstages: [tokenize, { featurize: { model: m } }, batch, tag]';
 * deadLetterOptionsOf(parsePipeline(file, 'a.yaml')).policy // => 'skip'
 */
export function deadLetterOptionsOf(pipeline: Pipeline): DeadLetterOptions {
  const { source, train, baseDirectory, deadLetters: section } = pipeline;
  const { default: policy, file: named, ...rest } = section ?? {};
  const lenient = train?.epochs === undefined || source.component.lenient === true;
  const now = () => new Date();
  if (named === undefined) return { ...rest, policy: policy ?? (lenient ? 'skip' : 'fail'), now };
  return { ...rest, policy: policy ?? 'dead-letter', file: resolve(baseDirectory, named), now };
}

/**
 * Returns the pipeline's dead letters without a file: in repeated training, each run would append the same rejected
 * records.
 */
export function unkeptRecords(pipeline: Pipeline): DeadLetters {
  const { file: _, ...options } = deadLetterOptionsOf(pipeline);
  const unkept = (policy: Policy): Policy =>
    ['dead-letter', 'pass'].includes(policy) ? 'skip' : policy;
  const policies = Object.entries(options.policies ?? {}).map(([fault, policy]) => [
    fault,
    unkept(policy ?? options.policy),
  ]);
  return new DeadLetters({
    ...options,
    policy: unkept(options.policy),
    policies: Object.fromEntries(policies),
  });
}
