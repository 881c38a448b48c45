import { isOfContext } from '../template/is-of-context.js';
import { parseTemplates } from '../template/parse-templates.js';
import type { TokenFunctions } from '../template/token-function.js';

/**
 * Whether templates look at other sentences of the document, so that sentences have to come in their order.
 *
 * @throws TagstreamError `template` if they do not parse
 * @example
 * readsDocuments('U1:%document[0,0,case]') // => true
 */
export function readsDocuments(templates: string, functions?: TokenFunctions): boolean {
  return parseTemplates(templates, undefined, functions).templates.some(({ pieces }) =>
    pieces.some(piece => typeof piece !== 'string' && isOfContext(piece)),
  );
}
