import { TagstreamError } from '../../../core/errors.js';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { FirstModel } from '../../../models/decoding/first-model.js';
import { readTaggingModel } from '../../../models/files/model-file.js';
import { isSectionFile } from '../../../models/files/section-file.js';
import { notedSample } from '../../../models/inspection/noted-sample.js';
import type { Pipeline } from '../../definition/pipeline.js';
import type { RunContext } from '../../definition/run-context.js';
import type { OnSettled } from '../../learners/trainee.js';
import type { RunOptions } from '../../setup/run-options.js';
import { jackknifed } from './jackknife.js';
import { namedFirst } from './named-first.js';

/** A first model, and what is asked of the corpus of the second. */
export interface FirstPart {
  readonly model: FirstModel | undefined;
  readonly onSettled?: OnSettled;
}

/**
 * The first model that the stage `featurize` of a pipeline names: of a model file, as it is; of a pipeline file, trained on
 * the source of the second model, whose sentences have the tags of models that have not seen them.
 *
 * @returns without a model where none is named, and if the run was stopped
 * @throws (rejects with) TagstreamError `file`, `config`, those of `readModel`, and whatever ends a training
 */
export async function firstModelOf(
  pipeline: Pipeline,
  { paths, events, catalogue, signal }: RunContext,
  { limit }: Pick<RunOptions, 'limit'>,
): Promise<FirstPart> {
  const named = namedFirst(pipeline, paths);
  if (named === undefined) return { model: undefined };
  const { file, bytes } = named;
  if (!isSectionFile(bytes)) {
    const text = new TextDecoder().decode(bytes);
    const model = await jackknifed(
      { text, file, second: pipeline, limit },
      {
        workers: pipeline.train?.workers ?? 1,
        signal,
        onTraining: (number, of) => events.onFirstModel?.(file, number, of),
      },
    );
    return { model };
  }
  const model = readTaggingModel(bytes, file, undefined, catalogue.functions);
  if (model.first !== undefined) throw stackedTwice(file);
  return {
    model: new FirstModel(model, bytes.slice()),
    onSettled: corpus => requireUnseen(bytes, file, corpus),
  };
}

function stackedTwice(source: string): TagstreamError {
  return new TagstreamError('config', 'the first model has a first model itself', {
    place: { source },
    fix: 'name one that was trained without from',
  });
}

/** @throws TagstreamError `config` for a model that was trained on the corpus: its tags of that are learned by heart */
function requireUnseen(bytes: Uint8Array, file: string, corpus: readonly EncodedSentence[]): void {
  const sample = notedSample(bytes, file);
  for (const { sentence } of corpus) sample.look(sentence);
  if (!sample.isFound) return;
  throw new TagstreamError(
    'config',
    'the first model was trained on the sentences of this corpus, and has learned their tags by heart',
    {
      place: { source: file },
      fix: 'name its pipeline file in from, which is then trained on parts of the corpus',
    },
  );
}
