import type { Scores } from '../../../core/training/training-step.js';
import type { ScoredSentence } from '../../../metrics/evaluation/evaluation.js';
import type { KernelName } from '../../../models/kernels.js';
import { unkeptRecords } from '../../definition/dead-letters.js';
import { changePipeline, type Pipeline, stagesWithout } from '../../definition/pipeline.js';
import { loadPipeline, parsePipeline } from '../../loading/load-pipeline.js';
import type { RunOptions } from '../../setup/run-options.js';
import type { ChosenSource } from '../../sources/source-component.js';
import { runPipeline } from '../run-pipeline.js';

/** One fold of several, from 0. */
export interface Fold {
  readonly fold: number;
  readonly of: number;
  readonly seed: number;
  /** Records that follow each other and are of the same fold. */
  readonly run: number;
}

/** What has come of a fold: its sentences as they were tagged, by a model of all other folds. */
export interface TrainedFold {
  readonly scores: Scores;
  readonly tagged: readonly Required<Pick<ScoredSentence, 'tokens' | 'gold' | 'tags'>>[];
}

/**
 * Trains a pipeline on all folds of its source but one, and tags that one. Its section `test` and its checks are not
 * used; no model, checkpoint or dead letter is written.
 *
 * @returns undefined if it was stopped
 * @throws (rejects with) whatever ends the training
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
    stages: stagesWithout(pipeline, ['checkpoint']),
    model: undefined,
    deploy: undefined,
    ...{ source: part({ except: fold }), test: part({ take: fold }) },
  });
  const result = await runPipeline(training, {
    ...run,
    deadLetters: unkeptRecords(pipeline),
    onScored: ({ tokens, tags: gold }, tags) => tagged.push({ tokens, gold: gold!, tags }),
  });
  return result.stopped || result.test === undefined ? undefined : { scores: result.test, tagged };
}

/**
 * The pipeline whose folds are trained.
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function foldPipeline({ file, text, set }: Omit<FoldSetup, 'kernel'>): Pipeline {
  return text === undefined ? loadPipeline(file, { set }) : parsePipeline(text, file, { set });
}

/** What a worker needs to load the pipeline whose folds it trains; plain data. */
export interface FoldSetup {
  readonly file: string;
  /** What takes the place of the contents of the file. */
  readonly text: string | undefined;
  /** Overrides. */
  readonly set: readonly string[];
  readonly kernel: KernelName | undefined;
}
