import { resolve } from 'node:path';
import type { DeadLetterOptions } from '../../io/dead-letters/dead-letters.js';
import type { Pipeline } from './pipeline.js';

/**
 * What a pipeline file says of bad records.
 *
 * Where it says nothing they are skipped in NDJSON and in a stream, whereas they end the reading of a
 * corpus in another format.
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
