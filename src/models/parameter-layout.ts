import type { Precision } from '../core/reals.js';
import { tableRoles } from '../features/tables/table-roles.js';
import type { TemplateSet } from '../features/template/parse-templates.js';
import type { ParameterLayout } from '../kernels/store/parameter-store.js';
import type { LabelSet } from './labels/label-set.js';
import type { ModelSpec } from './model-spec.js';
import { segmentLayout } from './segments/segment-layout.js';

/**
 * How the parameters of a model with these templates are laid out.
 *
 * @param labels those of the model, which may become more
 * @throws TagstreamError `template` where the scorer makes no table of a template
 */
export function parameterLayout(
  {
    support,
    scorer,
    columns,
    segments,
  }: Pick<ModelSpec, 'support' | 'scorer' | 'columns' | 'segments'>,
  templates: TemplateSet,
  precision: Precision,
  labels: LabelSet,
): ParameterLayout {
  const { transitions } = templates;
  return {
    ...{ transitions, support, precision },
    ...(scorer === undefined ? {} : { scorer }),
    ...(segments === undefined ? {} : { segments: segmentLayout(segments, labels) }),
    ...(scorer === 'hmm' ? { tables: tableRoles(templates, columns) } : {}),
  };
}
