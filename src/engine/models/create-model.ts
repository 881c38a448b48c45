import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { ScorerName } from '../core/scorer.js';
import { withListTemplates } from '../features/resources/list-templates.js';
import type { Resources } from '../features/resources/resources.js';
import { withTableTemplates } from '../features/tables/with-table-templates.js';
import type { TokenFunctions } from '../features/template/token-function.js';
import { scorerHas } from '../inference/scorers/scorers.js';
import type { Kernel } from '../kernels/kernel.js';
import { defaultKernelOf } from './default-kernel.js';
import type { GrowthLimit } from './growth-limit.js';
import { Model } from './model.js';
import type { ModelSpec } from './model-spec.js';
import { requireFitForScorer, requireFitForStructure } from './unfit-spec.js';

/** Names of a specification's fields. */
const specNames = [
  ...['templates', 'columns', 'index', 'support', 'compressed', 'prune', 'scorer', 'covariance'],
  ...['hidden', 'segments', 'graph', 'layers', 'parts', 'codes', 'encode', 'dictionary', 'input'],
  ...['tokenize', 'resources', 'uses', 'functions'],
];

/**
 * Returns an empty model.
 *
 * @param spec only `templates` is required. Defaults: the column `form`, an exact index without cutoff, support
 *   `all`, the scorer `linear`, one state per label. Word lists in `resources` get templates if no template reads
 *   them, and the scorer hmm adds the templates that it needs
 * @param limit limit on the model's growth, for endless streams; default: none (pipeline files have one by default)
 * @param kernel the kernel to compute with. Default: `kernels.simd`, or `kernels.simd64` for the scorer hmm. Use
 *   `kernels.simd64` with batch optimizers, whose objective needs float64
 * @throws TagstreamError `template`; `config` if the features do not fit the scorer, or need a first model
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
    // An explicit `linear` is the same as the default.
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
  return new TagstreamError('config', '%predicted needs the tags that a first model predicts', {
    fix: 'train both models with a pipeline file: featurize: { from: first.yaml }',
  });
}

/**
 * Returns the templates of a model, including those added by its lists and its scorer.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * specTemplates({ templates: 'U1:%x[0,0]', scorer: 'hmm' }).split('\n').length // => 4
 */
export function specTemplates({
  templates,
  resources,
  functions,
  scorer,
  covariance,
}: {
  readonly templates: string;
  readonly resources?: Resources | undefined;
  readonly functions?: TokenFunctions | undefined;
  readonly scorer?: ScorerName | undefined;
  readonly covariance?: 'full' | undefined;
}): string {
  const listed = withListTemplates(templates, resources, functions);
  return scorerHas(scorer, 'tables') ? withTableTemplates(listed, functions, covariance) : listed;
}
