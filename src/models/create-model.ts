import { withListTemplates } from '../features/resources/list-templates.js';
import { Model } from './model.js';
import type { ModelSpec } from './model-spec.js';

/**
 * A new, empty model.
 *
 * @param spec `templates` is all that is needed; columns default to the token alone, features to exact
 *   rows without cutoff, support to all labels; `resources` that no template mentions get templates
 * @throws TagstreamError `template`
 * @example
 * createModel({ templates: 'U00:%x[0,0]\nB' }).labels.size // => 0
 */
export function createModel(spec: Partial<ModelSpec> & Pick<ModelSpec, 'templates'>): Model {
  return new Model({
    columns: ['form'],
    index: { mode: 'exact', cutoff: 1 },
    support: 'all',
    ...spec,
    templates: withListTemplates(spec.templates, spec.resources),
  });
}
