import { parseTemplates } from '../template/parse-templates.js';
import type { TokenFunctions } from '../template/token-function.js';

/** What is said of the word elsewhere, of its neighbours, and of the span that it is in. */
const lines = [
  'UP1:%predicted[0,0,word]',
  'UP2:%predicted[0,0,word]/%predicted[0,0,label]',
  'UP3:%predicted[-1,0,word]/%predicted[0,0,word]',
  'UP4:%predicted[0,0,word]/%predicted[1,0,word]',
  'UP5:%predicted[0,0,span]',
  'UP6:%predicted[0,0,span]/%predicted[0,0,label]',
  'UP7:%predicted[0,0,longer]',
  'UP8:%predicted[0,0,longer]/%predicted[0,0,label]',
];

/**
 * Templates, and if none of them looks at what a first model says, further ones that do.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * withPredictedTemplates('U:%x[0,0]').split('\n').length // => 9
 */
export function withPredictedTemplates(templates: string, functions?: TokenFunctions): string {
  const looks = parseTemplates(templates, undefined, functions).templates.some(({ pieces }) =>
    pieces.some(piece => typeof piece !== 'string' && piece.apply === 'predicted'),
  );
  return looks ? templates : [templates, ...lines].join('\n');
}
