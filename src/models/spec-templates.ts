import type { ScorerName } from '../core/scorer-name.js';
import { withListTemplates } from '../features/resources/list-templates.js';
import type { Resources } from '../features/resources/resources.js';
import { withTableTemplates } from '../features/tables/with-table-templates.js';
import type { TokenFunctions } from '../features/template/token-function.js';

/**
 * The templates of a model, and those that its lists and its scorer need beside them.
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
  return scorer === 'hmm' ? withTableTemplates(listed, functions, covariance) : listed;
}
