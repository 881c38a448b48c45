import { TagstreamError } from '../../../../engine/core/errors.js';
import type { PluginModule } from '../../../../engine/interfaces/loaded-plugin.js';
import { loadModule } from '../../../plugins/load-plugins.js';
import { changePipeline, type Pipeline, stagesWithout } from '../../definition/pipeline.js';
import { canReadAgain, sourceFiles } from '../../definition/places.js';
import type { PipelinePaths } from '../../definition/run-context.js';
import { catalogueOf } from '../../loading/catalogue.js';
import { parsePipeline } from '../../loading/load-pipeline.js';
import { chosenOf } from '../../options/one-of.js';
import type { Plan } from '../../plan/plan.js';
import { modulesForThreads } from '../../plugins/modules-for-threads.js';
import { leastLimit } from '../../sources/source-component.js';
import { tokenizeStage } from '../../stages/tokenize.js';

/** Stages of a first model's pipeline that are ignored. */
const unused = ['tokenize', 'evaluate', 'checkpoint'];

/** The parts of a second model's pipeline that its first model depends on. */
export interface SecondPipeline
  extends Pick<Pipeline, 'file' | 'baseDirectory' | 'source' | 'deadLetters'> {
  readonly plan: Pick<Plan, 'tokenize'>;
}

/**
 * Returns the pipeline of a first model with the source of the second; a run only keeps the resulting model.
 *
 * @param text text of the first pipeline's file
 * @param limit maximum number of records that the run reads
 * @throws TagstreamError like `parsePipeline`, and `config` for a model that cannot be trained on parts of a corpus
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
    ...{
      model: undefined,
      deploy: undefined,
      test: undefined,
      checks: undefined,
      deadLetters: second.deadLetters,
    },
    source: { ...source, options },
    // Sentences are divided as for the second model.
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
      'a first model trains in passes over parts of the corpus',
      'give its pipeline the stages contribute and optimize, and train: { epochs }',
    );
  }
  if (first.plan.features.options.from !== undefined) {
    refuse(
      first.file,
      'a first model cannot have a first model',
      'leave from out of its stage featurize',
    );
  }
  if (first.train?.cluster !== undefined) {
    refuse(
      first.file,
      'a first model trains on a single machine',
      'leave cluster out of its section train',
    );
  }
  if (!canReadAgain(second)) {
    refuse(
      second.file,
      'training a first model reads the corpus several times',
      'use a source with files',
    );
  }
}

/** A pipeline's first model: a pipeline file, or a model file. */
interface NamedFirst {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the first model that a pipeline's stage `featurize` names; undefined if it names none.
 *
 * @throws TagstreamError `file`
 */
export function namedFirst(
  { plan }: Pick<Pipeline, 'plan'>,
  paths: PipelinePaths,
): NamedFirst | undefined {
  const { from } = plan.features.options;
  if (from === undefined) return undefined;
  return { file: paths.resolve(from), bytes: paths.read(from) };
}

/** How a first model is trained. */
export interface FirstRequest {
  /** The text of its pipeline file. */
  readonly text: string;
  readonly file: string;
  readonly second: Pipeline;
  /** Maximum number of records that the run reads. */
  readonly limit?: number | undefined;
}

/** The plain data from which another thread trains it. */
export interface FirstSetup extends Omit<FirstRequest, 'second'> {
  readonly second: Pick<SecondPipeline, 'file' | 'baseDirectory' | 'deadLetters'> & {
    readonly source: Readonly<Record<string, unknown>>;
    readonly plan: SecondPipeline['plan'];
  };
  readonly modules: readonly PluginModule[];
}

/** @throws TagstreamError `config` for a plug-in that was passed as code */
export function firstSetup({ second, ...first }: FirstRequest): FirstSetup {
  const { file, baseDirectory, deadLetters, source, plan, catalogue } = second;
  return {
    ...first,
    second: {
      ...{ file, baseDirectory, deadLetters },
      source: { [source.component.name]: source.options },
      plan: { tokenize: plan.tokenize },
    },
    modules: modulesForThreads(catalogue.plugins),
  };
}

/** Returns the pipeline of the first model, in the thread that trains it. */
export function pipelineOfSetup({ text, file, limit, second, modules }: FirstSetup): Pipeline {
  const { sources } = catalogueOf(modules.map(loadModule));
  const asked = { ...second, source: chosenOf(sources.items, second.source) };
  return firstPipeline(text, file, asked, limit);
}
