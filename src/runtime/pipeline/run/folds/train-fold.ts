import type { Scores } from '../../../../engine/core/training/training-step.js';
import type { ScoredSentence } from '../../../../engine/metrics/evaluation/evaluation.js';
import { summarize } from '../../../../engine/metrics/scores/match-counts.js';
import { activeWeights } from '../../../../engine/models/inspection/sparsity-pattern.js';
import type { KernelName } from '../../../../engine/models/kernels.js';
import { divergenceOf } from '../../../../engine/models/learning/training-history.js';
import { unkeptRecords } from '../../definition/dead-letters.js';
import { changePipeline, type Pipeline, stagesWithout } from '../../definition/pipeline.js';
import { finishedModel } from '../../learners/finished-model.js';
import { loadPipeline, parsePipeline } from '../../loading/load-pipeline.js';
import { isToBeLearned } from '../../options/tokenize-options.js';
import type { RunOptions } from '../../setup/run-options.js';
import type { ChosenSource } from '../../sources/source-component.js';
import type { TrainingParts } from '../../stages/build-training.js';
import type { TrainingObserver } from '../run-once.js';
import { observedRun } from '../run-pipeline.js';

/** One of several folds, counted from 0. */
export interface Fold {
  readonly fold: number;
  readonly of: number;
  readonly seed: number;
  /** Number of consecutive records in the same fold. */
  readonly run: number;
}

/** The result of a fold: its sentences, tagged by a model trained on all other folds. */
export interface TrainedFold {
  readonly scores: Scores;
  readonly tagged: readonly Required<Pick<ScoredSentence, 'tokens' | 'gold' | 'tags'>>[];
  /** Number of nonzero weights in the model. */
  readonly active: number;
  /** Why the training diverged; it then has tagged no sentence. */
  readonly diverged?: string | undefined;
}

/**
 * Trains a pipeline on all folds of its source except one, and tags that one. Ignores its section `test` and its
 * checks; writes no model, checkpoint or dead letter.
 *
 * @returns the result, without sentences if the training diverged; undefined if it was stopped
 * @throws (rejects with) the other errors of training
 */
export async function trainFold(
  pipeline: Pipeline,
  { fold, of, seed, run: length }: Fold,
  run: Pick<RunOptions, 'kernel' | 'signal' | 'events'> = {},
): Promise<TrainedFold | undefined> {
  const { source } = pipeline;
  const part = (which: object): ChosenSource => ({
    ...source,
    options: { ...source.options, folds: { of, seed, run: length, ...which } },
  });
  const tagged: TrainedFold['tagged'][number][] = [];
  const training = changePipeline(pipeline, {
    // The tags are scored on the tokens of the records.
    stages: stagesWithout(pipeline, [
      'checkpoint',
      ...(isToBeLearned(pipeline.plan.tokenize?.options) ? ['tokenize'] : []),
    ]),
    columns: undefined,
    model: undefined,
    deploy: undefined,
    ...{ source: part({ except: fold }), test: part({ take: fold }) },
  });
  let parts: TrainingParts | undefined;
  const options: RunOptions = {
    ...run,
    deadLetters: unkeptRecords(pipeline),
    onScored: ({ tokens, tags: gold }, tags) => tagged.push({ tokens, gold: gold!, tags }),
  };
  const observer: TrainingObserver = {
    onTrainee: built => {
      parts = built;
    },
  };
  let result: Awaited<ReturnType<typeof observedRun>>;
  try {
    result = await observedRun(training, options, { observer });
  } catch (thrown) {
    const diverged = divergenceOf(thrown);
    if (diverged === undefined) throw thrown;
    return { scores: summarize(0, 0, 0), tagged: [], active: 0, diverged };
  }
  if (result.stopped || result.test === undefined) return undefined;
  const { active } = activeWeights(finishedModel(parts!.finishing, false).parameters);
  return { scores: result.test, tagged, active };
}

/** The plain data from which a worker loads the pipelines whose folds it trains. */
export interface FoldSetup {
  readonly file: string;
  /** The contents of the pipeline file, if they are replaced. */
  readonly text: string | undefined;
  readonly kernel: KernelName | undefined;
}

/** A fold of a pipeline with some overridden settings. */
export interface FoldTask extends Fold {
  readonly set: readonly string[];
}

/**
 * Returns a function that loads the pipeline of a task, once for consecutive tasks with the same
 * settings.
 *
 * @throws TagstreamError like `loadPipeline`, from the returned function
 */
export function foldPipelines({
  file,
  text,
}: Omit<FoldSetup, 'kernel'>): (set: readonly string[]) => Pipeline {
  let last: { readonly key: string; readonly pipeline: Pipeline } | undefined;
  return set => {
    const key = JSON.stringify(set);
    if (last?.key !== key) {
      const pipeline =
        text === undefined ? loadPipeline(file, { set }) : parsePipeline(text, file, { set });
      last = { key, pipeline };
    }
    return last.pipeline;
  };
}
