import { TagstreamError } from '../../core/errors.js';
import type { ChosenSource } from '../sources/source-component.js';
import type { Pipeline } from './pipeline.js';

/**
 * The data that a pipeline scores on and does not train on: its section `test`, else what its stage `evaluate` reads.
 *
 * @throws TagstreamError `config` where it has neither
 * @example
 * const source = 'source: { ndjson: { files: [a], split: { every: 10, except: [9] } } }';
 * const test = 'test: { ndjson: { files: [a], split: { every: 10, take: [9] } } }';
 * const text = `version: 1\nname: a\n${source}\nstages: [{ featurize: { model: m } }, batch, tag]\n${test}`;
 * heldOutSource(parsePipeline(text, '/tmp/a.yaml')).options.split // => { every: 10, take: [9] }
 */
export function heldOutSource(pipeline: Pipeline): ChosenSource {
  const [first] = heldOutSources(pipeline);
  if (first !== undefined) return first.source;
  throw new TagstreamError('config', 'the pipeline holds no data out to score on', {
    place: { source: pipeline.file },
    fix: 'add the section test, as { conll: { files: [...], split: { every: 10, take: [9] } } }, and leave these records out of the source by except: [9]',
  });
}

/** All data that a pipeline scores on, with what it is called. */
export function heldOutSources({
  test,
  plan: { evaluation },
}: Pick<Pipeline, 'test' | 'plan'>): { source: ChosenSource; what: string }[] {
  const found = test === undefined ? [] : [{ source: test, what: 'the test data' }];
  if (evaluation?.kind !== 'held-out') return found;
  return [...found, { source: evaluation.source, what: 'the held-out data of evaluate' }];
}
