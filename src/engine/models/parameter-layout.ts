import type { Precision } from '../core/arrays.js';
import { TagstreamError } from '../core/errors.js';
import type { GraphSpec } from '../features/links/link-feature.js';
import { isPaired, type SegmentSpec } from '../features/segments/segment-feature.js';
import { requireNumbers, tableRoles } from '../features/tables/table-roles.js';
import type { TemplateSet } from '../features/template/parse-templates.js';
import { scorerHas } from '../inference/scorers/scorers.js';
import { segmentTablesOf } from '../inference/segments/segment-tables-of.js';
import type { GraphLayout } from '../kernels/graph/graph-scores.js';
import type { SegmentLayout } from '../kernels/segments/segment-scores.js';
import type { SegmentTables } from '../kernels/segments/segment-tables.js';
import type { ParameterLayout } from '../kernels/store/parameter-store.js';
import type { LabelSet } from './labels/label-set.js';
import type { ModelSpec } from './model-spec.js';

/**
 * Returns the parameter layout of a model with these templates.
 *
 * @param labels the model's labels, which may grow
 * @throws TagstreamError `template` if the scorer cannot make a table of a template
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
  const { layers, parts, codes } = labels;
  if (layers !== undefined) requireLayers(templates);
  if (parts !== undefined) requireUnconditioned(templates, 'tags of parts');
  if (codes !== undefined) requireUnconditioned(templates, 'words of a code');
  if (prune !== undefined) requireUnconditioned(templates, 'labels that are pruned');
  const tables = scorerHas(scorer, 'tables') ? tableRoles(templates, columns) : undefined;
  if (tables !== undefined) requireNumbers(tables, { hidden, covariance });
  return {
    ...{ transitions, support, precision },
    ...(compressed === undefined ? {} : { compressed }),
    ...(prune === undefined ? {} : { prune }),
    ...(scorer === undefined ? {} : { scorer }),
    ...(segments === undefined ? {} : { segments: segmentLayout(segments, labels) }),
    ...(graph === undefined ? {} : { graph: graphLayout(graph, templates) }),
    ...(layers === undefined ? {} : { layers: layers.layers }),
    ...(parts === undefined ? {} : { parts: parts.parts }),
    ...(codes === undefined ? {} : { codes: codes.codes }),
    ...(tables === undefined ? {} : { tables }),
    ...(tables !== undefined && hidden !== undefined
      ? { components: { count: hidden.states, seed: hidden.seed } }
      : {}),
  };
}

/**
 * The weights of pairs are stored with those of transitions, which therefore cannot be conditioned.
 */
function requireLayers(templates: TemplateSet): void {
  requireUnconditioned(templates, 'tags with layers');
  if (templates.transitions) return;
  throw new TagstreamError('template', 'tags with layers need transitions', {
    fix: 'add the template B',
  });
}

function requireUnconditioned({ templates }: TemplateSet, what: string): void {
  const conditioned = templates.find(({ kind }) => kind === 'edge');
  if (conditioned === undefined) return;
  throw new TagstreamError(
    'template',
    `${what} cannot have transitions conditioned on the text, such as "${conditioned.source}"`,
    { fix: 'use only B' },
  );
}

/** Returns the labels' meaning for a model's spans, recomputed when labels are added. */
function segmentLayout({ maxLength, features }: SegmentSpec, labels: LabelSet): SegmentLayout {
  const paired = features.some(isPaired);
  let tables: SegmentTables | undefined;
  return {
    ...{ maxLength, paired },
    tables() {
      if (tables?.labels !== labels.size) tables = segmentTablesOf(labels.names, maxLength, paired);
      return tables;
    },
  };
}

/**
 * Returns the inference settings of graph models.
 *
 * @throws TagstreamError `config` for associative potentials with templates that score transitions
 */
function graphLayout(
  { potentials, maxWidth, schedule }: GraphSpec,
  { transitions, templates }: TemplateSet,
): GraphLayout {
  const edge = transitions ? 'B' : templates.find(({ kind }) => kind === 'edge')?.source;
  const associative = potentials === 'associative';
  if (associative && edge !== undefined) {
    throw new TagstreamError(
      'config',
      `potentials: associative scores only links, but the template ${edge} scores transitions`,
      { fix: `leave the template ${edge} out, or use potentials: free` },
    );
  }
  const tally = { exact: 0, expanded: 0, converged: 0, unconverged: 0 };
  return { chained: edge !== undefined, associative, maxWidth, schedule, tally };
}
