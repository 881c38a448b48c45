import { parseTemplates } from '../template/parse-templates.js';
import { isNumber, type Macro } from '../template/template.js';
import { noTokenFunctions, type TokenFunctions } from '../template/token-function.js';

/**
 * Returns templates with the additional ones that a hidden Markov model needs: the constant, the
 * first token, the square of each number, the transitions and, with full covariance, the product of
 * each pair of numbers.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * withTableTemplates('U1:%x[0,0]\nB').split('\n') // => ['U1:%x[0,0]', 'B', 'U', 'U:first:%first[0,0]']
 */
export function withTableTemplates(
  text: string,
  functions: TokenFunctions = noTokenFunctions,
  covariance: 'diagonal' | 'full' = 'diagonal',
): string {
  const { templates, transitions } = parseTemplates(text, undefined, functions);
  const applied = templates.map(({ pieces }) => pieces.filter(piece => typeof piece !== 'string'));
  const more: string[] = [];
  if (!applied.some(macros => macros.length === 0)) more.push('U');
  if (!applied.some(macros => macros.some(({ apply }) => apply === 'first'))) {
    more.push('U:first:%first[0,0]');
  }
  const numbers = applied
    .filter(macros => macros.length === 1)
    .flat()
    .filter(isNumber);
  const columns = numbers.map(({ column }) => column);
  for (const { column, apply } of numbers) {
    const other = apply === 'real' ? 'square' : 'real';
    if (numbers.some(each => each.column === column && each.apply === other)) continue;
    more.push(`U:%${apply === 'real' ? 'vv' : 'v'}[0,${column}]`);
  }
  if (covariance === 'full') more.push(...products(applied, [...new Set(columns)]));
  if (!transitions) more.push('B');
  return [text, ...more].join('\n');
}

/** Returns the missing products of column pairs. */
function products(
  applied: readonly (readonly Macro[])[],
  columns: readonly Macro['column'][],
): string[] {
  const given = applied.filter(macros => macros.length === 2 && macros.every(isNumber));
  const isGiven = (a: Macro['column'], b: Macro['column']) =>
    given.some(([one, two]) => [one!.column, two!.column].every(each => each === a || each === b));
  return columns.flatMap((a, i) =>
    columns
      .slice(i + 1)
      .filter(b => !isGiven(a, b))
      .map(b => `U:%v[0,${a}]%v[0,${b}]`),
  );
}
