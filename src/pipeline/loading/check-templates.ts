import { TagstreamError } from '../../core/errors.js';
import { requireNumbers } from '../../features/tables/require-numbers.js';
import { tableRoles } from '../../features/tables/table-roles.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { scorerOf } from '../../inference/scorers/scorers.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

/**
 * Checks templates that stand in the pipeline file itself, so that an error has their line in it.
 *
 * @throws TagstreamError `template` at the template that is wrong
 */
export function checkTemplates(
  { catalogue, plan: { source, features } }: Pick<Pipeline, 'catalogue' | 'plan'>,
  checker: Checker,
): void {
  const { templates, columns } = features.options;
  if (!Array.isArray(templates)) return;
  const lines = templates.map(String);
  try {
    const parsed = parseTemplates(lines.join('\n'), undefined, catalogue.functions);
    if (!scorerOf(features.scorer).capabilities.includes('tables')) return;
    const names = columns ?? source.component.columns(source.options);
    const roles = tableRoles(parsed, names);
    requireNumbers(roles, features);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError) || thrown.place.line === undefined) throw thrown;
    const { problem, fix, place } = thrown;
    const wrong = checker.fail(
      [...features.path, 'templates', itemAt(lines, place.line!)],
      problem,
      fix,
    );
    throw new TagstreamError('template', wrong.problem, {
      place: wrong.place,
      ...(fix === undefined ? {} : { fix }),
      cause: thrown,
    });
  }
}

/** The item that a line of all items together stands in. */
function itemAt(items: readonly string[], line: number): number {
  let before = 0;
  return items.findIndex(item => {
    before += item.split(/\r?\n/).length;
    return line <= before;
  });
}
