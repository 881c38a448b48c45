import { TagstreamError } from '../../core/errors.js';
import type { GraphSpec } from '../../features/links/link-spec.js';
import type { TemplateSet } from '../../features/template/parse-templates.js';
import type { GraphLayout } from '../../kernels/graph/graph-scores.js';

/**
 * How the parameters of a model of graphs are inferred with.
 *
 * @throws TagstreamError `config` for associative potentials with templates that score transitions
 */
export function graphLayout(
  { potentials, maxWidth, schedule }: GraphSpec,
  { transitions, templates }: TemplateSet,
): GraphLayout {
  const edge = transitions ? 'B' : templates.find(({ kind }) => kind === 'edge')?.source;
  const associative = potentials === 'associative';
  if (associative && edge !== undefined) {
    throw new TagstreamError(
      'config',
      `potentials: associative ones are of links alone, and the template ${edge} scores transitions`,
      { fix: `leave the template ${edge} out, or use potentials: free` },
    );
  }
  const tally = { exact: 0, expanded: 0, converged: 0, unconverged: 0 };
  return { chained: edge !== undefined, associative, maxWidth, schedule, tally };
}
