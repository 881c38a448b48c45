import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { joined } from '../../core/joined.js';
import type { Scores } from '../../core/training/training-step.js';
import { contentDigest } from '../../io/files/content-digest.js';
import { fileError } from '../../io/files/file-error.js';
import { makeDirectory } from '../../io/files/make-directory.js';
import { refusePipe } from '../../io/files/refuse-pipe.js';
import { writeModelFile } from '../../io/writing/write-model-file.js';
import { Decoder } from '../../models/decoding/decoder.js';
import { type PruningLoss, pruningLoss } from '../../models/decoding/pruning-loss.js';
import { scoreSentences } from '../../models/decoding/score-sentences.js';
import { modelPieces } from '../../models/files/model-file.js';
import { BatchLearner } from '../../models/learning/batch-learner.js';
import { encodeInOrder } from '../../models/learning/encode-in-order.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { HeldOut, RunSetup } from '../definition/run-setup.js';
import { type FinishedModel, finishedModel } from '../learners/finished-model.js';
import { canBeRounded, weightSelectionOf } from '../learners/weight-selection-of.js';
import { namesKept } from '../options/model-option.js';
import { collectGarbage } from '../setup/collect-garbage.js';
import { readSentences } from '../setup/read-sentences.js';
import type { RunOptions, RunResult } from '../setup/run-options.js';
import { sameFileWarning, sharedWarning } from './data-warnings.js';
import { notesOfRun } from './notes-of-run.js';

/**
 * Scores the finished weights on the test data, and writes the model. It is written even if the test data is wrong.
 *
 * @throws TagstreamError `empty-sentence` where nothing has been learned; what is wrong with the test data or file;
 *   `checkpoint` if another process has taken the run over
 */
export async function finishRun(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): Promise<Pick<RunResult, 'model' | 'bestPass' | 'test' | 'pruning' | 'graphs'>> {
  const file = setup.modelFile;
  if (setup.model.labels.size === 0) {
    throw new TagstreamError(
      'empty-sentence',
      'no labelled record was read, so there is no model',
      {
        fix: 'check the source and the field or column of its tags',
      },
    );
  }
  if (setup.learner instanceof BatchLearner && file !== undefined) {
    // The finished weights can have the memory of the training.
    setup.learner.release();
    await collectGarbage();
  }
  if (setup.heldOut !== undefined) {
    await warnOfShared(pipeline, setup, setup.heldOut, 'the held-out data of evaluate');
  }
  const finished = finishedModel(setup, file !== undefined);
  const { test, pruning, failure } = await testScores(pipeline, setup, finished, options);
  const graphs = setup.model.parameters.layout.graph?.tally;
  const contents = finished.contents();
  const kept = options.names === undefined ? pipeline.names : namesKept(options.names);
  const notes =
    file === undefined
      ? undefined
      : await notesOfRun(setup, contents, kept, pipeline.plan.optimizer?.component.name ?? '');
  const pieces = modelPieces(contents, notes);
  setup.lock?.require();
  if (file !== undefined) writeModelFile(file, pieces, setup.catalogue.functions);
  options.onModel?.(joined(pieces));
  if (options.status !== undefined) options.status.modelDigest = contentDigest(pieces);
  if (failure !== undefined) throw failure;
  return {
    ...(file === undefined
      ? {}
      : {
          model: {
            file,
            bytes: pieces.reduce((sum, piece) => sum + piece.length, 0),
            compact: canBeRounded(setup.learner)
              ? weightSelectionOf(setup)?.compact === true
              : undefined,
          },
        }),
    ...(finished.bestPass === undefined ? {} : { bestPass: finished.bestPass }),
    ...(test === undefined ? {} : { test }),
    ...(pruning === undefined ? {} : { pruning }),
    ...(graphs === undefined ? {} : { graphs }),
  };
}

/** Warns where held-out sentences are in the training data; where their file is, that has been said before. */
async function warnOfShared(
  pipeline: Pipeline,
  setup: RunSetup,
  { source, sentences }: HeldOut,
  what: string,
): Promise<void> {
  if (sameFileWarning(pipeline, source, what) !== undefined) return;
  const warning = await sharedWarning(setup, sentences, what);
  if (warning !== undefined) setup.events.onWarning?.('shared-sentences', warning);
}

/** Scores on the test data, if there is any, or what is wrong with it. */
async function testScores(
  pipeline: Pipeline,
  setup: RunSetup,
  { model, parameters }: FinishedModel,
  { onScored }: RunOptions,
): Promise<{ test?: Scores; pruning?: PruningLoss | undefined; failure?: unknown }> {
  const { test } = pipeline;
  if (test === undefined) return {};
  try {
    const sentences = await readSentences(test, setup);
    await warnOfShared(pipeline, setup, { source: test, sentences }, 'the test data');
    const encoded = encodeInOrder(model, sentences);
    const decoder = new Decoder(model.kernel, model);
    const scores = scoreSentences(model, parameters, decoder, encoded, {}, onScored);
    return { test: scores, pruning: pruningLoss(model, parameters, encoded) };
  } catch (failure) {
    // Nobody wrote the test data before the run was ended.
    if (setup.isStopped() && failure === setup.signal?.reason) return {};
    return { failure };
  }
}

/** Finds out before a long training that its model could not be written afterwards. */
export function requirePlace(file: string): void {
  try {
    refusePipe('write', file, 'name a plain file: the model is written as a whole');
    makeDirectory(dirname(file));
    // Fails where it is no directory.
    readdirSync(dirname(file));
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    throw fileError('write', file, cause);
  }
}
