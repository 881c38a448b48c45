import { from, lastValueFrom, toArray } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { suggestion } from '../../../engine/core/wording/nearest.js';
import { letterTemplates, type Recipe, recipeFor, recipeTemplates, tasks } from './recipe.js';
import type { FeatureRequest, TrainRequest } from './train-request.js';

/** Number of labels from which a weight for each takes too much memory. */
export const manyLabels = 100;

/** Number of letters of a token and the space after it, for records that only have a text. */
const lettersOfToken = 6;

/**
 * Completes a request for a task according to the size of the corpus, as `tagstream init` does; keeps given options. A
 * request without a task is returned unchanged.
 *
 * @throws (rejects with) TagstreamError `config` for an unknown task, or for a task with a preset
 */
export async function taskRequest(request: TrainRequest): Promise<TrainRequest> {
  const { task, features = {}, ...given } = request ?? {};
  if (task === undefined || given.corpus === undefined || typeof given.corpus === 'string') {
    return request;
  }
  if (!tasks.includes(task)) {
    throw new TagstreamError('config', `task: there is no task ${JSON.stringify(task)}`, {
      fix: suggestion(String(task), [...tasks]),
    });
  }
  if (features.preset !== undefined) {
    throw new TagstreamError(
      'config',
      'task: cannot be combined with features.preset, which it chooses',
      {
        fix: 'leave out task, or features.preset',
      },
    );
  }
  const corpus = await lastValueFrom(from(given.corpus).pipe(toArray()));
  const { records, tokens, labels } = sizeOf(corpus);
  const many = task !== 'letters' && labels >= manyLabels;
  const recipe = recipeFor(task, { records, tokens, manyLabels: many });
  return {
    ...(given.optimizer === undefined && given.trainer === undefined ? trainingOf(recipe) : {}),
    ...(task === 'letters' && features.templates === undefined ? lettersAlone : {}),
    ...given,
    corpus,
    features: { ...featuresOf(recipe, features), ...(many ? observed : {}) },
  };
}

/** Returns the training settings of a recipe for `train`: optimizer, passes and loss. */
export function trainingOf(recipe: Recipe): Partial<TrainRequest> {
  const { optimizer, epochs, seeds, dropout, temperature, cost, missCost } = recipe;
  return {
    ...{ optimizer, epochs },
    ...(seeds === undefined ? {} : { seeds }),
    ...(dropout === undefined ? {} : { dropout }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(cost === undefined ? {} : { loss: { 'softmax-margin': { cost, missCost } } }),
  };
}

const observed = { support: 'observed', compressed: true } as const;
const lettersAlone = { tokenize: { tokenizer: 'characters', sentences: false } } as const;

function featuresOf(recipe: Recipe, given: FeatureRequest): FeatureRequest {
  const { preset, encode } = recipe;
  const own = preset === undefined ? letterTemplates : recipeTemplates(recipe);
  const templates = [...own, ...[given.templates ?? []].flat()];
  return {
    ...(encode === undefined ? {} : { encode }),
    ...given,
    ...(preset === undefined ? {} : { preset }),
    ...(templates.length === 0 ? {} : { templates }),
  };
}

/** Returns the number of labelled records, of their tokens (estimated for texts), and of their labels. */
export function sizeOf(corpus: readonly Document[]) {
  const labels = new Set<string>();
  let [records, tokens] = [0, 0];
  for (const { tags, partialTags, tokens: own, text } of corpus) {
    if (tags === undefined && partialTags === undefined) continue;
    records += 1;
    tokens += own?.length ?? Math.ceil((text?.length ?? 0) / lettersOfToken);
    for (const tag of tags ?? []) labels.add(tag);
  }
  return { records, tokens, labels: labels.size };
}
