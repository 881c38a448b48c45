import { isNumber } from '../template/number-macro.js';
import { parseTemplates } from '../template/parse-templates.js';
import { noTokenFunctions, type TokenFunctions } from '../template/token-function.js';

/**
 * Templates, and those that a hidden Markov model needs beside them: the constant, the first token, the square of each
 * number, and the transitions.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * withTableTemplates('U1:%x[0,0]\nB').split('\n') // => ['U1:%x[0,0]', 'B', 'U', 'U:first:%first[0,0]']
 */
export function withTableTemplates(
  text: string,
  functions: TokenFunctions = noTokenFunctions,
): string {
  const { templates, transitions } = parseTemplates(text, undefined, functions);
  const applied = templates.map(({ pieces }) => pieces.filter(piece => typeof piece !== 'string'));
  const more: string[] = [];
  if (!applied.some(macros => macros.length === 0)) more.push('U');
  if (!applied.some(macros => macros.some(({ apply }) => apply === 'first'))) {
    more.push('U:first:%first[0,0]');
  }
  const numbers = applied.flat().filter(isNumber);
  for (const { column, apply } of numbers) {
    const other = apply === 'real' ? 'square' : 'real';
    if (numbers.some(each => each.column === column && each.apply === other)) continue;
    more.push(`U:%${apply === 'real' ? 'vv' : 'v'}[0,${column}]`);
  }
  if (!transitions) more.push('B');
  return [text, ...more].join('\n');
}
