import {
  FirstModel,
  type KnownTags,
  placeOfSentence,
} from '../../../../engine/models/decoding/first-model.js';
import { readTaggingModel } from '../../../../engine/models/files/model-file.js';
import { unkeptRecords } from '../../definition/dead-letters.js';
import { changePipeline, type Pipeline } from '../../definition/pipeline.js';
import { PipelinePaths } from '../../definition/run-context.js';
import { readSentences } from '../../setup/read-sentences.js';
import { pipelineTokenizer } from '../../stages/tokenizer-file.js';
import { runOnce } from '../run-once.js';

/** One of the training runs of jack-knifing. */
export interface FirstTraining {
  /** Number of parts of the corpus. */
  readonly of: number;
  /** Number of consecutive records in the same part. */
  readonly run: number;
  /** The part, counted from 0, that is left out and tagged. Default: train on the whole corpus. */
  readonly part?: number;
}

/** The result of a `FirstTraining`. */
export interface TrainedFirst {
  /** The model file, if training used the whole corpus. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Tags of the held-out part. */
  readonly known: KnownTags;
}

/**
 * Trains a first model on all parts of its source except one, and tags that one.
 *
 * @returns the result; undefined if it was stopped
 * @throws (rejects with) the errors of training
 */
export async function trainFirst(
  pipeline: Pipeline,
  { of, run, part }: FirstTraining,
  signal?: AbortSignal,
): Promise<TrainedFirst | undefined> {
  const known = new Map<string, readonly string[]>();
  if (part === undefined) {
    const bytes = await trained(pipeline, signal);
    return bytes && { bytes, known };
  }
  const dealt = { of, run, seed: 0 };
  const bytes = await trained(partOf(pipeline, { ...dealt, except: part }), signal);
  if (bytes === undefined) return undefined;
  const model = firstModel(pipeline, bytes);
  const left = await sentencesOf(partOf(pipeline, { ...dealt, take: part }));
  for (const sentence of model.inDocuments(left)) {
    known.set(placeOfSentence(sentence)!, model.tagsOf(sentence));
  }
  return { known };
}

/**
 * Returns the first model from a model file that its pipeline has trained.
 *
 * @param known tags of its training sentences
 */
export function firstModel(
  { file, catalogue }: Pipeline,
  bytes: Uint8Array<ArrayBuffer>,
  known?: KnownTags,
): FirstModel {
  const model = readTaggingModel(bytes, file, undefined, catalogue.functions);
  return new FirstModel(model, bytes, known);
}

/**
 * Returns the sentences of a pipeline's source, whose files must have absolute paths.
 *
 * @throws (rejects with) TagstreamError `file`, and the error of the first bad record, if it ends a run
 */
export function sentencesOf(pipeline: Pipeline) {
  const tokenizer = pipelineTokenizer(pipeline.plan.tokenize?.options);
  const given = { paths: new PipelinePaths(pipeline), tokenizer };
  return readSentences(pipeline.source, given, unkeptRecords(pipeline));
}

/** Returns the pipeline with a further restriction on the records of its source. */
function partOf(pipeline: Pipeline, chosen: object): Pipeline {
  const { source } = pipeline;
  const { folds: outer = [] } = source.options as { folds?: object | readonly object[] };
  const folds = [outer, chosen].flat();
  return changePipeline(pipeline, { source: { ...source, options: { ...source.options, folds } } });
}

async function trained(
  pipeline: Pipeline,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const { stopped } = await runOnce(pipeline, {
    ...(signal === undefined ? {} : { signal }),
    deadLetters: unkeptRecords(pipeline),
    names: false,
    onModel: whole => {
      bytes = whole;
    },
  });
  return stopped ? undefined : bytes;
}
