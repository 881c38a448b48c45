import { parseTemplates } from './parse-templates.js';
import { isNumber, type Template } from './template.js';
import { noTokenFunctions, type TokenFunctions } from './token-function.js';

/**
 * Adds a conjunction for each pair of token templates, whose feature is active where those of both
 * are. Templates of transitions, and those with feature values, are not combined. n templates
 * become n (n + 1) / 2.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * withConjunctions('U0:%x[0,0]\nU1:%lower[1,0]\nB').split('\n') // => ['U0:%x[0,0]', 'U1:%lower[1,0]', 'B', 'U0:%x[0,0]&U1:%lower[1,0]']
 */
export function withConjunctions(
  templates: string,
  functions: TokenFunctions = noTokenFunctions,
): string {
  const parts = parseTemplates(templates, undefined, functions).templates.filter(isPart);
  const pairs = parts.flatMap(({ source }, i) =>
    parts.slice(i + 1).map(other => `${source}&${other.source}`),
  );
  return [templates, ...pairs].join('\n');
}

function isPart({ kind, pieces }: Template): boolean {
  return kind === 'state' && !pieces.some(piece => typeof piece !== 'string' && isNumber(piece));
}

/**
 * Templates for predictions of the word elsewhere, of its neighbours, and of the span that contains
 * it.
 */
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
 * Adds templates that use a first model's predictions, unless there are such templates already.
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
