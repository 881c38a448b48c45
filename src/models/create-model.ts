import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument } from '../core/schema/require-argument.js';
import { requireKnown } from '../core/schema/require-known.js';
import type { Kernel } from '../kernels/kernel.js';
import type { GrowthLimit } from './growth-limit.js';
import { defaultKernelOf } from './kernels.js';
import { Model } from './model.js';
import type { ModelSpec } from './model-spec.js';
import { specTemplates } from './spec-templates.js';
import { requireFitForStructure } from './structures/unfit-for-structure.js';
import { requireFitForScorer } from './unfit-for-scorer.js';

/** What a specification may have. */
const specNames = [
  ...['templates', 'columns', 'index', 'support', 'compressed', 'prune', 'scorer', 'covariance'],
  ...['hidden', 'segments', 'graph', 'layers', 'codes', 'encode', 'dictionary', 'input'],
  ...['tokenize', 'resources', 'uses', 'functions'],
];

/**
 * Creates an empty model.
 *
 * @param spec `templates` is all that is needed; columns default to the token alone, features to exact
 *   rows without cutoff, support to all labels, scorer to linear, one state for each label; `resources` that no template mentions get templates, and so
 *   does what the scorer hmm needs
 * @param limit how much it may grow, for a stream whose vocabulary never ends; pipeline files have one by default
 * @param kernel what computes; batch optimizers want `kernels.simd64`, as they look for the last digits of the objective.
 *   Default `kernels.simd`; `kernels.simd64` for the scorer hmm, which counts
 * @throws TagstreamError `template`, `config` where features do not go with the scorer, or are of a first model
 * @example
 * createModel({ templates: 'U00:%x[0,0]\nB' }).labels.size // => 0
 */
export function createModel(
  spec: Partial<ModelSpec> & Pick<ModelSpec, 'templates'>,
  limit?: GrowthLimit,
  kernel?: Kernel,
): Model {
  requireKnown('createModel', spec, specNames);
  requireArgument('createModel: the templates', spec.templates, kinds.text);
  if (kernel !== undefined) requireArgument('createModel: the kernel', kernel, kinds.kernel);
  const { scorer, ...rest } = spec;
  const whole: ModelSpec = {
    columns: ['form'],
    index: { mode: 'exact', cutoff: 1 },
    support: 'all',
    ...rest,
    // A linear model is the same whether it says so or not.
    ...(scorer === undefined || scorer === 'linear' ? {} : { scorer }),
    templates: specTemplates(spec),
  };
  requireFitForScorer(whole);
  requireFitForStructure(whole);
  const model = new Model(whole, { limit, kernel: kernel ?? defaultKernelOf(scorer) });
  if (model.extractor.readsPredictions) throw withoutFirst();
  return model;
}

function withoutFirst(): TagstreamError {
  return new TagstreamError('config', '%predicted looks at the tags of a first model', {
    fix: 'train the two by a pipeline file, with featurize: { from: first.yaml }',
  });
}
