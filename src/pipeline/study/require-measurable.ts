import { TagstreamError } from '../../core/errors.js';
import type { Pipeline } from '../definition/pipeline.js';
import { filesOf } from '../sources/common-options.js';
import { type QuantityName, quantityOf } from './measures/quantities.js';

/**
 * Finds out whether a pipeline can be trained and measured, before others are trained for a long time.
 *
 * @param variant name of the run
 * @throws TagstreamError `config`
 */
export function requireMeasurable(
  pipeline: Pipeline,
  measured: ReadonlySet<QuantityName>,
  variant: string,
): void {
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('config', `${variant}: ${problem}`, {
      place: { source: pipeline.file },
      fix,
    });
  };
  if (!pipeline.trains) refuse('it trains nothing', 'add the stages contribute and optimize');
  const { component, options } = pipeline.source;
  const readOnce = options.from !== undefined || filesOf(options).includes('-');
  if (readOnce && component.generated === undefined) {
    refuse('a study reads its source several times', 'name files in the source');
  }
  const scores = [...measured].filter(name => quantityOf(name).score === true);
  if (scores.length > 0 && pipeline.test === undefined) {
    refuse(`${scores[0]} needs test data`, 'add the section test to the pipeline');
  }
  const whole = (['objective', 'loss', 'trainError', 'sentences'] as const).find(name =>
    measured.has(name),
  );
  if (whole !== undefined && pipeline.train?.epochs === undefined) {
    refuse(`${whole} is of a corpus, but the pipeline reads a stream`, 'add train.epochs');
  }
}
