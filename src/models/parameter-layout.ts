import { TagstreamError } from '../core/errors.js';
import type { Precision } from '../core/reals.js';
import { requireNumbers } from '../features/tables/require-numbers.js';
import { tableRoles } from '../features/tables/table-roles.js';
import type { TemplateSet } from '../features/template/parse-templates.js';
import type { ParameterLayout } from '../kernels/store/parameter-store.js';
import type { LabelSet } from './labels/label-set.js';
import type { ModelSpec } from './model-spec.js';
import { graphLayout } from './structures/graph-layout.js';
import { segmentLayout } from './structures/segment-layout.js';

/**
 * How the parameters of a model with these templates are laid out.
 *
 * @param labels those of the model, which may become more
 * @throws TagstreamError `template` where the scorer makes no table of a template
 */
export function parameterLayout(
  {
    support,
    compressed,
    prune,
    scorer,
    columns,
    hidden,
    covariance,
    segments,
    graph,
  }: Pick<ModelSpec, 'support' | 'scorer' | 'columns' | 'hidden' | 'covariance'> &
    Pick<ModelSpec, 'compressed' | 'prune' | 'segments' | 'graph'>,
  templates: TemplateSet,
  precision: Precision,
  labels: LabelSet,
): ParameterLayout {
  const { transitions } = templates;
  const { layers, codes } = labels;
  if (layers !== undefined) requireLayers(templates);
  if (codes !== undefined) requireUnconditioned(templates, 'words of a code');
  if (prune !== undefined) requireUnconditioned(templates, 'labels that are pruned');
  const tables = scorer === 'hmm' ? tableRoles(templates, columns) : undefined;
  if (tables !== undefined) requireNumbers(tables, { hidden, covariance });
  return {
    ...{ transitions, support, precision },
    ...(compressed === undefined ? {} : { compressed }),
    ...(prune === undefined ? {} : { prune }),
    ...(scorer === undefined ? {} : { scorer }),
    ...(segments === undefined ? {} : { segments: segmentLayout(segments, labels) }),
    ...(graph === undefined ? {} : { graph: graphLayout(graph, templates) }),
    ...(layers === undefined ? {} : { layers: layers.pairs }),
    ...(codes === undefined ? {} : { codes: codes.codes }),
    ...(tables === undefined ? {} : { tables }),
    ...(tables !== undefined && hidden !== undefined
      ? { components: { count: hidden.states, seed: hidden.seed } }
      : {}),
  };
}

/** The weights of pairs lie among those of transitions, which are not conditioned. */
function requireLayers(templates: TemplateSet): void {
  requireUnconditioned(templates, 'tags of two layers');
  if (templates.transitions) return;
  throw new TagstreamError('template', 'tags of two layers need transitions', {
    fix: 'add the template B',
  });
}

function requireUnconditioned({ templates }: TemplateSet, what: string): void {
  const conditioned = templates.find(({ kind }) => kind === 'edge');
  if (conditioned === undefined) return;
  throw new TagstreamError(
    'template',
    `${what} have no transitions conditioned on the text, as "${conditioned.source}"`,
    { fix: 'use B alone' },
  );
}
