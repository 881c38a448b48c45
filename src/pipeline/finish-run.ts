import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { TagstreamError } from '../core/errors.js';
import { joined } from '../core/joined.js';
import type { Scores } from '../core/training-step.js';
import { atomicWrite } from '../io/atomic-write.js';
import { contentDigest } from '../io/content-digest.js';
import { fileError } from '../io/file-error.js';
import { makeDirectory } from '../io/make-directory.js';
import { Decoder } from '../models/decoder.js';
import { contentsOf, modelContents, modelPieces, readModel } from '../models/model-file.js';
import { scoreSentences } from '../models/score-sentences.js';
import { namesKept } from './model-option.js';
import { notesOfRun } from './notes-of-run.js';
import type { Pipeline } from './pipeline.js';
import { readSentences } from './read-sentences.js';
import type { RunOptions, RunResult } from './run-options.js';
import type { RunSetup } from './run-setup.js';

/** Writes the model, and scores what was written on the test data. */
export async function finishRun(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): Promise<Pick<RunResult, 'model' | 'bestPass' | 'test'>> {
  const file = setup.modelFile;
  if (setup.model.labels.size === 0) {
    throw new TagstreamError(
      'empty-sentence',
      'no labelled record has come, so there is no model',
      {
        fix: 'check the source and the field or column of its tags',
      },
    );
  }
  const best = setup.stopping?.bestModel;
  const contents =
    best === undefined ? modelContents(setup.learner, setup.train?.threshold) : contentsOf(best);
  const kept = options.names === undefined ? pipeline.names : namesKept(options.names);
  const notes = file === undefined ? undefined : await notesOfRun(setup, contents, kept);
  const pieces = modelPieces(contents, notes);
  if (file !== undefined) atomicWrite(file, pieces);
  if (options.status !== undefined) options.status.modelDigest = contentDigest(pieces);
  let test: Scores | undefined;
  if (pipeline.test !== undefined) {
    const model = readModel(joined(pieces), file ?? '<model>', setup.kernel);
    const sentences = await readSentences(pipeline.test, setup);
    const encoded = sentences.map(sentence => model.encodeKnown(sentence));
    test = scoreSentences(model, model.parameters, new Decoder(model.kernel, model), encoded);
  }
  return {
    ...(file === undefined
      ? {}
      : { model: { file, bytes: pieces.reduce((sum, piece) => sum + piece.length, 0) } }),
    ...(best === undefined ? {} : { bestPass: setup.stopping!.bestPass }),
    ...(test === undefined ? {} : { test }),
  };
}

/** Finds out before a long training that its model could not be written afterwards. */
export function requirePlace(file: string): void {
  try {
    makeDirectory(dirname(file));
    // Fails where it is no directory.
    readdirSync(dirname(file));
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    throw fileError('write', file, cause);
  }
}
