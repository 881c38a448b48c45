import { TagstreamError } from '../../../core/errors.js';
import { canReadAgain } from '../../definition/can-read-again.js';
import { changePipeline, type Pipeline, stagesWithout } from '../../definition/pipeline.js';
import { sourceFiles } from '../../definition/source-files.js';
import { parsePipeline } from '../../loading/load-pipeline.js';
import type { Plan } from '../../plan/plan.js';
import { leastLimit } from '../../sources/common-options.js';
import { tokenizeStage } from '../../stages/tokenize.js';

/** Stages of a first pipeline that are not looked at. */
const unused = ['tokenize', 'evaluate', 'checkpoint'];

/** What is looked at of the pipeline of a second model. */
export interface SecondPipeline
  extends Pick<Pipeline, 'file' | 'baseDirectory' | 'source' | 'deadLetters'> {
  readonly plan: Pick<Plan, 'tokenize'>;
}

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
  const { source, plan } = second;
  const options = {
    ...source.options,
    files: sourceFiles(second),
    limit: leastLimit(source.options.limit, limit),
  };
  return changePipeline(first, {
    ...{ model: undefined, test: undefined, checks: undefined, deadLetters: second.deadLetters },
    source: { ...source, options },
    // Sentences are those of the second model.
    stages: [
      ...(plan.tokenize
        ? [{ component: tokenizeStage, options: { ...plan.tokenize.options } }]
        : []),
      ...stagesWithout(first, unused),
    ],
  });
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
  if (first.plan.features.options.from !== undefined) {
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
