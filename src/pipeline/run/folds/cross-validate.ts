import { lastValueFrom, reduce } from 'rxjs';
import { isOfDocument, runLength } from '../../../core/document-runs.js';
import { TagstreamError } from '../../../core/errors.js';
import type { Scores } from '../../../core/training/training-step.js';
import { documentSource } from '../../../io/sources/document-source.js';
import {
  type CrossValidation,
  crossValidation,
} from '../../../metrics/evaluation/cross-validation.js';
import { Evaluation } from '../../../metrics/evaluation/evaluation.js';
import { type KernelName, kernels } from '../../../models/kernels.js';
import { detectScheme } from '../../../text/tags/detect-scheme.js';
import { isSpanScheme } from '../../../text/tags/tag-scheme.js';
import { inThreads } from '../../../workers/in-threads.js';
import { threadFile } from '../../../workers/thread-file.js';
import { unkeptRecords } from '../../definition/dead-letters.js';
import type { RunEvents } from '../../definition/events.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { canReadAgain, sourceFiles } from '../../definition/places.js';
import { selectionOf } from '../../sources/source-component.js';
import {
  type Fold,
  type FoldSetup,
  foldPipeline,
  type TrainedFold,
  trainFold,
} from './train-fold.js';

/** How a cross-validation is made. */
export interface CrossValidateOptions {
  /** Overrides of settings of the pipeline file. */
  readonly set?: readonly string[] | undefined;
  /** What takes the place of the contents of the pipeline file, which need not be there then. */
  readonly text?: string | undefined;
  readonly folds: number;
  /** Deals the records to the folds. */
  readonly seed: number;
  /** Records that follow each other and are of the same fold. By default 1, and more where records are of documents. */
  readonly run?: number | undefined;
  /** Folds that are trained at the same time, each in a thread; in this thread if it is 1. */
  readonly workers: number;
  readonly kernel?: KernelName | undefined;
  /** Ends it; what is done is then lost. */
  readonly signal?: AbortSignal | undefined;
  /** Sentences with errors that are kept, the first ones. */
  readonly errors?: number | undefined;
  /** Of the trainings, where they are made in this thread. */
  readonly events?: RunEvents | undefined;
  /** Receives the scores of each fold, from 1, in order. */
  readonly onFold?: ((fold: number, scores: Scores) => void) | undefined;
}

/** A cross-validation, with the evaluation of all its sentences. */
export interface CrossValidated {
  readonly pipeline: Pipeline;
  readonly result: CrossValidation;
  readonly evaluation: Evaluation;
  /** Records that follow each other and were of the same fold. */
  readonly run: number;
}

/**
 * Trains a pipeline file once for each fold of its source, on all other folds, and scores it on the fold; the section
 * `test` is not looked at. Records are dealt to the folds by the seed: the same seed gives the same figures, with any number
 * of workers. Costs as many trainings, and the memory of `workers` of them.
 *
 * @returns undefined if it was stopped
 * @throws (rejects with) TagstreamError `config` for a pipeline that trains nothing or reads its source once;
 *   `empty-sentence` for a fold without a sentence that can be scored; and whatever ends a training
 */
export async function crossValidate(
  file: string,
  options: CrossValidateOptions,
): Promise<CrossValidated | undefined> {
  const { folds, seed, set = [], text, errors, onFold } = options;
  const pipeline = foldPipeline({ file, text, set });
  requireTrainable(pipeline);
  const run = options.run ?? (await runOfFold(pipeline, folds));
  const tasks = Array.from({ length: folds }, (_, fold): Fold => ({ fold, of: folds, seed, run }));
  const trained: TrainedFold[] = [];
  const use = (done: TrainedFold) => {
    trained.push(done);
    if (done.scores.sentences === 0) throw nothingToScore(file, trained.length, folds);
    onFold?.(trained.length, done.scores);
  };
  if (options.workers > 1) {
    const { workers: size, kernel, signal } = options;
    const setup: FoldSetup = { file, text, set, kernel };
    await inThreads(threadFile('pipeline/run/folds/fold-worker'), {
      ...{ size, setup, tasks, signal, use },
    });
  } else {
    const { kernel, signal, events } = options;
    const given = {
      ...(kernel === undefined ? {} : { kernel: kernels[kernel] }),
      ...(signal === undefined ? {} : { signal }),
      ...(events === undefined ? {} : { events }),
    };
    for (const task of tasks) {
      const done = await trainFold(pipeline, task, given);
      if (done === undefined) return undefined;
      use(done);
    }
  }
  if (trained.length < folds) return undefined;
  // Spans are scored in all folds or in none, whichever labels each of them has.
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
  return { pipeline, result: crossValidation(evaluations, pooled), evaluation: pooled, run };
}

function requireTrainable(pipeline: Pipeline): void {
  const { trains, train, file, source } = pipeline;
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('config', problem, { place: { source: file }, fix });
  };
  if (!trains) refuse('the pipeline trains nothing', 'add the stages contribute and optimize');
  if (train?.epochs === undefined) refuse('folds need passes over a corpus', 'set train.epochs');
  if (source.options.folds !== undefined) {
    refuse('the source is one of several folds already', 'leave folds out of the source');
  }
  if (!canReadAgain(pipeline)) {
    refuse('a cross-validation reads its source several times', 'name files in the source');
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

/**
 * How many records of a pipeline's source that follow each other belong to the same fold: 1, or, where records are of
 * documents, runs of them. Reads the source once.
 *
 * @throws (rejects with) what reading it throws
 */
async function runOfFold(pipeline: Pipeline, folds: number): Promise<number> {
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
