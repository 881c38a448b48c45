import { lastValueFrom, reduce } from 'rxjs';
import { isOfDocument, runLength } from '../../../../engine/core/document-runs.js';
import { TagstreamError } from '../../../../engine/core/errors.js';
import type { Scores } from '../../../../engine/core/training/training-step.js';
import {
  type CrossValidation,
  crossValidation,
} from '../../../../engine/metrics/evaluation/cross-validation.js';
import { Evaluation } from '../../../../engine/metrics/evaluation/evaluation.js';
import { type KernelName, kernels } from '../../../../engine/models/kernels.js';
import { detectScheme } from '../../../../engine/text/tags/detect-scheme.js';
import { isSpanScheme } from '../../../../engine/text/tags/tag-scheme.js';
import { documentSource } from '../../../io/sources/document-source.js';
import { threadFile } from '../../../thread-file.js';
import { inThreads } from '../../../workers/in-threads.js';
import { unkeptRecords } from '../../definition/dead-letters.js';
import type { RunEvents } from '../../definition/events.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { canReadAgain, sourceFiles } from '../../definition/places.js';
import { selectionOf } from '../../sources/source-component.js';
import {
  type FoldSetup,
  type FoldTask,
  foldPipelines,
  type TrainedFold,
  trainFold,
} from './train-fold.js';

/** Options of a cross-validation. */
export interface CrossValidateOptions {
  /** Overrides for settings of the pipeline file. */
  readonly set?: readonly string[] | undefined;
  /** Replaces the contents of the pipeline file, which then need not exist. */
  readonly text?: string | undefined;
  readonly folds: number;
  /** Seed for assigning the records to the folds. */
  readonly seed: number;
  /** Number of consecutive records in the same fold. Default: 1, or more if records belong to documents. */
  readonly run?: number | undefined;
  /** Maximum number of folds trained at the same time, each in a thread; if 1, in this thread. */
  readonly workers: number;
  readonly kernel?: KernelName | undefined;
  /** Ends the cross-validation; all results are then lost. */
  readonly signal?: AbortSignal | undefined;
  /** Number of first sentences with errors to keep. */
  readonly errors?: number | undefined;
  /** Events of trainings in this thread. */
  readonly events?: RunEvents | undefined;
  /** Receives the scores of each fold, in order, numbered from 1. */
  readonly onFold?: ((fold: number, scores: Scores) => void) | undefined;
  /** Receives each fold whose training diverges, with the reason. */
  readonly onDiverged?: ((fold: number, reason: string) => void) | undefined;
}

/** A cross-validation, with the evaluation of all its sentences. */
export interface CrossValidated {
  readonly pipeline: Pipeline;
  readonly result: CrossValidation;
  readonly evaluation: Evaluation;
  /** Number of consecutive records in the same fold. */
  readonly run: number;
  /** Number of nonzero weights in each finished fold's model. */
  readonly active: readonly number[];
  /** Folds whose training diverged, from 1; none of the figures covers them. */
  readonly diverged: readonly DivergedFold[];
}

/** A fold whose training diverged. */
export interface DivergedFold {
  readonly fold: number;
  readonly reason: string;
}

/**
 * Trains a pipeline file once for each fold of its source, on all other folds, and scores it on that fold; ignores the
 * section `test`. The seed assigns the records to the folds: the same seed gives the same figures, with any number of
 * workers. Costs one training per fold, and the memory of `workers` trainings.
 *
 * @returns the evaluation, without the folds whose training diverged; undefined if it was stopped
 * @throws (rejects with) TagstreamError `config` for a pipeline that trains nothing or reads its source once;
 *   `empty-sentence` for a fold without a sentence that can be scored; `numeric` if the training of every fold diverges; and
 *   the errors of training
 */
export async function crossValidate(
  file: string,
  options: CrossValidateOptions,
): Promise<CrossValidated | undefined> {
  const [validated] = await crossValidateAll(file, [options.set ?? []], {
    ...options,
    onFold: (fold, scores) => options.onFold?.(fold, scores),
    onDiverged: (fold, reason) => options.onDiverged?.(fold, reason),
  });
  return validated;
}

/** Options for several cross-validations on the same records. */
export interface CrossValidateAllOptions
  extends Omit<CrossValidateOptions, 'set' | 'onFold' | 'onDiverged' | 'run'> {
  readonly run?: number | undefined;
  /** Receives the scores of each fold (from 1) for each list of settings (from 0), in order. */
  readonly onFold?: ((fold: number, scores: Scores, settings: number) => void) | undefined;
  /** Receives each fold whose training diverges, with the reason and the list of settings. */
  readonly onDiverged?: ((fold: number, reason: string, settings: number) => void) | undefined;
}

/**
 * Cross-validates a pipeline with each of several lists of settings, on the same folds. All trainings share the
 * workers; the tagged sentences of one list at a time are in memory.
 *
 * @returns the finished cross-validations: fewer than lists if stopped
 * @throws (rejects with) TagstreamError like `crossValidate`; before any training if settings break the pipeline
 */
export async function crossValidateAll(
  file: string,
  lists: readonly (readonly string[])[],
  options: CrossValidateAllOptions,
): Promise<CrossValidated[]> {
  const { folds, seed, text, errors, onFold, onDiverged, workers, kernel, signal, events } =
    options;
  const pipelineOf = foldPipelines({ file, text });
  const pipelines = lists.map(set => pipelineOf(set));
  for (const pipeline of pipelines) requireTrainable(pipeline);
  const run = options.run ?? (await runOfFold(pipelines[0]!, folds));
  const tasks = lists.flatMap(set =>
    Array.from({ length: folds }, (_, fold): FoldTask => ({ fold, of: folds, seed, run, set })),
  );
  const validated: CrossValidated[] = [];
  let trained: TrainedFold[] = [];
  const use = (done: TrainedFold) => {
    trained.push(done);
    if (done.diverged !== undefined) onDiverged?.(trained.length, done.diverged, validated.length);
    else {
      if (done.scores.sentences === 0) throw nothingToScore(file, trained.length, folds);
      onFold?.(trained.length, done.scores, validated.length);
    }
    if (trained.length < folds) return;
    const pipeline = pipelines[validated.length]!;
    const diverged = trained.flatMap(({ diverged: reason }, i) =>
      reason === undefined ? [] : [{ fold: i + 1, reason }],
    );
    if (diverged.length === folds && lists.length === 1) throw allDiverged(file, diverged);
    const finished = trained.filter(fold => fold.diverged === undefined);
    validated.push({ pipeline, run, diverged, ...summaryOf(finished, errors) });
    trained = [];
  };
  if (workers > 1) {
    const setup: FoldSetup = { file, text, kernel };
    await inThreads(threadFile('runtime/pipeline/run/folds/fold-worker'), {
      ...{ size: workers, setup, tasks, signal, use },
    });
    return validated;
  }
  const given = {
    ...(kernel === undefined ? {} : { kernel: kernels[kernel] }),
    ...(signal === undefined ? {} : { signal }),
    ...(events === undefined ? {} : { events }),
  };
  for (const task of tasks) {
    const done = await trainFold(pipelines[validated.length]!, task, given);
    if (done === undefined) break;
    use(done);
  }
  return validated;
}

function summaryOf(
  trained: readonly TrainedFold[],
  errors: number | undefined,
): Pick<CrossValidated, 'result' | 'evaluation' | 'active'> {
  // Spans are scored in all folds or in none, whichever labels each fold has.
  const tags = new Set(trained.flatMap(({ tagged }) => tagged.flatMap(({ gold }) => gold)));
  const spanScheme = isSpanScheme(detectScheme([...tags]));
  const pooled = new Evaluation({ spanScheme, errors });
  const evaluations = trained.map(({ tagged, scores }) => {
    const own = new Evaluation({ spanScheme });
    for (const evaluation of [own, pooled]) {
      for (const sentence of tagged) evaluation.add(sentence);
      for (let i = 0; i < (scores.skipped ?? 0); i += 1) evaluation.skip();
    }
    return own;
  });
  const active = trained.map(fold => fold.active);
  return { result: crossValidation(evaluations, pooled), evaluation: pooled, active };
}

function requireTrainable(pipeline: Pipeline): void {
  const { trains, train, file, source } = pipeline;
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('config', problem, { place: { source: file }, fix });
  };
  if (!trains)
    refuse('the pipeline does not train a model', 'add the stages contribute and optimize');
  if (train?.epochs === undefined) refuse('folds need passes over a corpus', 'set train.epochs');
  if (source.options.folds !== undefined) {
    refuse('the source is already a fold', 'leave folds out of the source');
  }
  if (!canReadAgain(pipeline)) {
    refuse('a cross-validation reads its source several times', 'use a source with files');
  }
}

function nothingToScore(file: string, fold: number, folds: number): TagstreamError {
  return new TagstreamError(
    'empty-sentence',
    `no sentence of fold ${fold} of ${folds} can be scored`,
    {
      place: { source: file },
      fix: 'use fewer folds, a shorter run, or more records with a gold tag for each token',
    },
  );
}

function allDiverged(file: string, [first]: readonly DivergedFold[]): TagstreamError {
  return new TagstreamError('numeric', `the training of every fold diverges: ${first!.reason}`, {
    place: { source: file },
    fix: 'lower eta0, or scale real-valued features',
  });
}

/**
 * Returns the number of consecutive source records in the same fold: 1, or, if records belong to documents, more. Reads
 * the source once.
 *
 * @throws (rejects with) errors of reading the source
 */
export async function runOfFold(pipeline: Pipeline, folds: number): Promise<number> {
  const { component, options } = pipeline.source;
  const documents = documentSource({
    files: sourceFiles(pipeline),
    codec: component.codec(options),
    stdin: component.generated?.(options),
    deadLetters: unkeptRecords(pipeline),
    selection: selectionOf(options),
  });
  const none = { records: 0, ofDocuments: false };
  const { records, ofDocuments } = await lastValueFrom(
    documents.pipe(
      reduce((counts, document) => {
        document.delivery?.release();
        document.delivery?.ack();
        return {
          records: counts.records + 1,
          ofDocuments: counts.ofDocuments || (counts.records > 0 && isOfDocument(document)),
        };
      }, none),
    ),
    { defaultValue: none },
  );
  return ofDocuments ? runLength(records, folds) : 1;
}
