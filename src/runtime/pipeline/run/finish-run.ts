import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { joined } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import type { Scores } from '../../../engine/core/training/training-step.js';
import { Decoder } from '../../../engine/models/decoding/decoder.js';
import { type PruningLoss, pruningLoss } from '../../../engine/models/decoding/pruning-loss.js';
import { scoreSentences } from '../../../engine/models/decoding/score-sentences.js';
import { type ModelContents, modelPieces } from '../../../engine/models/files/model-file.js';
import type { ModelNotes } from '../../../engine/models/files/model-notes.js';
import { ModelNoter, type NamesKept } from '../../../engine/models/inspection/note-model.js';
import { encodeInOrder } from '../../../engine/models/learning/encode-in-order.js';
import { makeDirectory } from '../../../formats/files/directories.js';
import { fileError, refusePipe } from '../../../formats/files/file-error.js';
import { contentDigest } from '../../../formats/files/node-parts.js';
import { writeModelFile } from '../../io/writing/write-model-file.js';
import {
  asRead,
  canBeRounded,
  type FinishedModel,
  finishedModel,
  weightSelectionOf,
} from '../learners/finished-model.js';
import { namesKept } from '../options/model-option.js';
import { epochsOf } from '../options/train-options.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import { collectGarbage } from '../setup/collect-garbage.js';
import { readSentences } from '../setup/read-sentences.js';
import type { RunOptions, RunResult } from '../setup/run-options.js';
import type { TrainingParts } from '../stages/build-training.js';
import type { HeldOut } from '../stages/evaluate.js';
import { sameFileWarning, sharedWarning, type TrainingCorpus } from './data-warnings.js';
import type { OpenTraining } from './learn.js';

/** A training that has ended, with the data it has read. */
export interface EndedTraining extends OpenTraining {
  readonly heldOut: HeldOut | undefined;
  readonly corpus: TrainingCorpus;
}

/**
 * Scores the finished weights on the test data, and writes the model, even if the test data is wrong.
 *
 * @throws TagstreamError `empty-sentence` if nothing has been learned; the errors of the test data or file;
 *   `checkpoint` if another process has taken over the run
 */
export async function finishRun(
  ended: EndedTraining,
  options: RunOptions,
): Promise<Pick<RunResult, 'model' | 'bestPass' | 'test' | 'pruning' | 'graphs' | 'deployment'>> {
  const { pipeline, training, modelFile: file, heldOut, deployment, context } = ended;
  const { model, trainee, finishing } = training;
  if (model.labels.size === 0) {
    throw new TagstreamError(
      'empty-sentence',
      'the source has no labelled record, so there is no model',
      { fix: 'check the source and the field or column of its tags' },
    );
  }
  if (trainee.release !== undefined && file !== undefined) {
    // The finished weights can reuse the training's memory.
    trainee.release();
    await collectGarbage();
  }
  if (heldOut !== undefined) await warnOfShared(ended, heldOut, 'the held-out data of evaluate');
  const finished = finishedModel(finishing, file !== undefined);
  const { test, pruning, failure } = await testScores(ended, finished, options);
  const graphs = model.parameters.layout.graph?.tally;
  const contents = finished.contents();
  const kept = options.names === undefined ? pipeline.names : namesKept(options.names);
  const noted = { plan: pipeline.plan, training, corpus: ended.corpus };
  const notes = file === undefined ? undefined : await notesOfRun(noted, contents, kept);
  const pieces = modelPieces(contents, notes);
  context.lock?.require();
  if (file !== undefined) writeModelFile(file, pieces, context.catalogue.functions);
  options.onModel?.(joined(pieces));
  if (options.status !== undefined) options.status.modelDigest = contentDigest(pieces);
  if (failure !== undefined) throw failure;
  await deployment?.end(joined(pieces));
  return {
    ...(file === undefined
      ? {}
      : {
          model: {
            file,
            bytes: pieces.reduce((sum, piece) => sum + piece.length, 0),
            compact: canBeRounded(finishing.learner)
              ? weightSelectionOf(finishing)?.compact === true
              : undefined,
          },
        }),
    ...(finished.bestPass === undefined ? {} : { bestPass: finished.bestPass }),
    ...(test === undefined ? {} : { test }),
    ...(pruning === undefined ? {} : { pruning }),
    ...(graphs === undefined ? {} : { graphs }),
    ...(deployment && { deployment: deployment.counts }),
  };
}

/**
 * Warns if held-out sentences are in the training data, unless their file is part of it, which has already been
 * reported.
 */
async function warnOfShared(
  { pipeline, corpus, context }: EndedTraining,
  { source, sentences }: HeldOut,
  what: string,
): Promise<void> {
  if (sameFileWarning(pipeline, source, what) !== undefined) return;
  const warning = await sharedWarning(corpus, sentences, what);
  if (warning !== undefined) context.events.onWarning?.('shared-sentences', warning);
}

/** Returns the scores on the test data, if there is any, or the data's error. */
async function testScores(
  ended: EndedTraining,
  finished: FinishedModel,
  { kernel: chosen, onScored, rank }: RunOptions,
): Promise<{ test?: Scores; pruning?: PruningLoss | undefined; failure?: unknown }> {
  const { test, plan } = ended.pipeline;
  const nbest = rank ?? plan.evaluation?.options.rank;
  if (test === undefined) return {};
  try {
    const sentences = await readSentences(test, ended.training.reading);
    await warnOfShared(ended, { source: test, sentences }, 'the test data');
    const { model } = finished;
    const { kernel, parameters } = asRead(finished, chosen);
    const encoded = encodeInOrder(model, sentences);
    const decoder = new Decoder(kernel, model);
    const scores = scoreSentences(model, parameters, decoder, encoded, { nbest }, onScored);
    return { test: scores, pruning: pruningLoss(model, parameters, encoded, kernel) };
  } catch (failure) {
    // The test data was not written before the run was ended.
    const { signal } = ended.context;
    if (signal?.aborted === true && failure === signal.reason) return {};
    return { failure };
  }
}

/** Checks before a long training that its model can be written afterwards. */
export function requirePlace(file: string): void {
  try {
    refusePipe('write', file, 'name a regular file: the model is written at once');
    makeDirectory(dirname(file));
    // Throws if the parent is not a directory.
    readdirSync(dirname(file));
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    throw fileError('write', file, cause);
  }
}

/** The inputs of the notes. */
interface NotedRun {
  readonly plan: TrainPlan | LearnPlan;
  readonly training: Pick<TrainingParts, 'model' | 'history'>;
  /** The corpus, which is released. */
  readonly corpus: TrainingCorpus;
}

/**
 * Returns the notes on a run for a model file: its history, sizes by template and names of features. Undefined for a
 * stream that was read once without keeping sentences.
 *
 * Visits each feature of the corpus; reads its files once more if other threads have read it, or if a resumed run had
 * already finished.
 */
async function notesOfRun(
  { plan, training, corpus }: NotedRun,
  contents: ModelContents,
  kept: NamesKept,
): Promise<ModelNotes | undefined> {
  if (plan.kind !== 'train') return undefined;
  const { model, history } = training;
  const noter = new ModelNoter(model, contents, kept);
  const { sentences } = corpus;
  if (sentences === undefined || corpus.isElsewhere) {
    corpus.letGo();
    await corpus.readAgain(
      sentence => add(noter, sentence),
      () => noter.done,
    );
  } else {
    noter.addCorpus(sentences);
    corpus.letGo();
  }
  const { options } = plan.train;
  const optimizer = plan.optimizer.component.name;
  return noter.notes(history.passes, { optimizer, epochs: epochsOf(options)! }, options.margins);
}

function add(noter: ModelNoter, sentence: Sentence): void {
  if (sentence.tags === undefined && sentence.partialTags === undefined) return;
  try {
    noter.addSentence(sentence);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
  }
}
