import {
  FirstModel,
  type KnownTags,
  placeOfSentence,
} from '../../../models/decoding/first-model.js';
import { readTaggingModel } from '../../../models/files/model-file.js';
import type { Pipeline } from '../../definition/pipeline.js';
import type { RunSetup } from '../../definition/run-setup.js';
import { unkeptRecords } from '../../definition/unkept-records.js';
import { readSentences } from '../../setup/read-sentences.js';
import type { RunOptions } from '../../setup/run-options.js';
import { runOnce } from '../run-once.js';

/** Parts of the corpus, each of which is tagged by a model of the others. */
const parts = 5;

/** What all trainings cost, in trainings on the whole corpus. */
export const jackknifeCost = parts;

/** What a jack-knifing is made with. */
export interface JackknifeOptions extends Pick<RunOptions, 'signal'> {
  /** Of the second model: how its source is read. */
  readonly setup: RunSetup;
  /** Before each training. */
  readonly onTraining?: ((number: number, of: number) => void) | undefined;
}

/**
 * Trains a pipeline on all of its source, and tags this source as later sentences will be tagged: each of five parts, of
 * records that follow each other, by a model that is trained on the other four. Costs six trainings.
 *
 * @returns undefined if it was stopped
 * @throws (rejects with) whatever ends a training
 */
export async function jackknifed(
  pipeline: Pipeline,
  { setup, signal, onTraining }: JackknifeOptions,
): Promise<FirstModel | undefined> {
  const { source } = pipeline;
  const of = (folds?: object): Pipeline => {
    const { folds: outer = [] } = source.options as { folds?: object | readonly object[] };
    const all = folds === undefined ? outer : [outer, folds].flat();
    return { ...pipeline, source: { ...source, options: { ...source.options, folds: all } } };
  };
  const sentences = (part: Pipeline) => readSentences(part.source, setup, unkeptRecords(part));
  const records = (await sentences(of())).filter(({ part }) => part.index === 0).length;
  const dealt = { of: parts, seed: 0, run: Math.max(1, Math.ceil(records / parts)) };
  const known = new Map<string, readonly string[]>();
  for (let part = 0; part < parts; part += 1) {
    onTraining?.(part + 1, parts + 1);
    const model = await trained(of({ ...dealt, except: part }), signal);
    if (model === undefined) return undefined;
    for (const sentence of model.inDocuments(await sentences(of({ ...dealt, take: part })))) {
      known.set(placeOfSentence(sentence)!, model.tagsOf(sentence));
    }
  }
  onTraining?.(parts + 1, parts + 1);
  return trained(of(), signal, known);
}

/** The model that comes of a pipeline. */
async function trained(
  pipeline: Pipeline,
  signal: AbortSignal | undefined,
  known?: KnownTags,
): Promise<FirstModel | undefined> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const deadLetters = unkeptRecords(pipeline);
  const { stopped } = await runOnce(pipeline, {
    ...(signal === undefined ? {} : { signal }),
    deadLetters,
    names: false,
    onModel: whole => {
      bytes = whole;
    },
  });
  if (stopped || bytes === undefined) return undefined;
  const { functions } = pipeline.catalogue;
  const model = readTaggingModel(bytes, pipeline.file, undefined, functions);
  return new FirstModel(model, bytes, known);
}
