import { isNumber } from './number-macro.js';
import { parseTemplates } from './parse-templates.js';
import type { Template } from './template.js';
import { noTokenFunctions, type TokenFunctions } from './token-function.js';

/**
 * Templates, and one for each two of them that make features of tokens: its feature is active where those of both are.
 * Those of transitions, and those that give features a value, stay alone. n templates become n (n + 1) / 2.
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
