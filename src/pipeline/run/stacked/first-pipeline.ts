import { TagstreamError } from '../../../core/errors.js';
import { canReadAgain } from '../../definition/can-read-again.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { sourceFiles } from '../../definition/source-files.js';
import { parsePipeline } from '../../loading/load-pipeline.js';
import { leastLimit } from '../../sources/common-options.js';

/** Stages of a first pipeline that are not looked at. */
const unused: ReadonlySet<string> = new Set(['tokenize', 'evaluate', 'checkpoint']);

/** What is looked at of the pipeline of a second model. */
export type SecondPipeline = Pick<
  Pipeline,
  'file' | 'baseDirectory' | 'source' | 'stages' | 'deadLetters'
>;

/**
 * The pipeline of a first model, on the source of the second: it keeps nothing but the model that comes of it.
 *
 * @param text of its file
 * @param limit records that the run reads at most
 * @throws TagstreamError as `parsePipeline`, and `config` for one whose model can be none of parts of a corpus
 */
export function firstPipeline(
  text: string,
  file: string,
  second: SecondPipeline,
  limit?: number,
): Pipeline {
  const first = parsePipeline(text, file);
  requireUsable(first, second);
  const { source } = second;
  const options = {
    ...source.options,
    files: sourceFiles(second),
    limit: leastLimit(source.options.limit, limit),
  };
  return {
    ...first,
    ...{ model: undefined, test: undefined, checks: undefined, deadLetters: second.deadLetters },
    source: { ...source, options },
    // Sentences are those of the second model.
    stages: [
      ...second.stages.filter(({ component: { name } }) => name === 'tokenize'),
      ...first.stages.filter(({ component: { name } }) => !unused.has(name)),
    ],
  };
}

function requireUsable(first: Pipeline, second: SecondPipeline): void {
  const refuse = (source: string, problem: string, fix: string): never => {
    throw new TagstreamError('config', problem, { place: { source }, fix });
  };
  if (!first.trains || first.train?.epochs === undefined) {
    refuse(
      first.file,
      'a first model is trained in passes over parts of the corpus',
      'give its pipeline the stages contribute and optimize, and train: { epochs }',
    );
  }
  if (first.stages.some(({ options }) => options.from !== undefined)) {
    refuse(
      first.file,
      'a first model has no first model itself',
      'leave from out of its stage featurize',
    );
  }
  if (first.train?.cluster !== undefined) {
    refuse(
      first.file,
      'a first model is trained on this machine',
      'leave cluster out of its section train',
    );
  }
  if (!canReadAgain(second)) {
    refuse(
      second.file,
      'the corpus is read several times, as the first model is trained on parts of it',
      'name files in the source',
    );
  }
}
