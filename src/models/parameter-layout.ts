import type { Precision } from '../core/reals.js';
import { tableRoles } from '../features/tables/table-roles.js';
import type { TemplateSet } from '../features/template/parse-templates.js';
import type { SegmentLayout } from '../kernels/segments/segment-scores.js';
import type { ParameterLayout } from '../kernels/store/parameter-store.js';
import type { ModelSpec } from './model-spec.js';

/**
 * How the parameters of a model with these templates are laid out.
 *
 * @throws TagstreamError `template` where the scorer makes no table of a template
 */
export function parameterLayout(
  { support, scorer, columns }: Pick<ModelSpec, 'support' | 'scorer' | 'columns'>,
  templates: TemplateSet,
  precision: Precision,
  segments?: SegmentLayout,
): ParameterLayout {
  const { transitions } = templates;
  return {
    ...{ transitions, support, precision },
    ...(scorer === undefined ? {} : { scorer }),
    ...(segments === undefined ? {} : { segments }),
    ...(scorer === 'hmm' ? { tables: tableRoles(templates, columns) } : {}),
  };
}
