import { parseTemplates } from '../template/parse-templates.js';
import { noTokenFunctions, type TokenFunctions } from '../template/token-function.js';
import type { Resources } from './resources.js';

/** Bits of the paths that templates look at beside all of them, if nothing else is said. */
const prefixes = [4, 6, 10];

/**
 * Templates, and further ones for those lists that none of them mentions: of gazetteers and word vectors at the token and
 * its two neighbours, of clusters for 4, 6, 10 (or what `bits` says) and all bits of the path there.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * const cities = { text: 'Bath', fold: false };
 * withListTemplates('U:%x[0,0]', { gazetteers: { cities } }).split('\n').slice(1, 3)
 * // => ['U:gazetteer:cities[-1]:%gazetteer[-1,0,cities]', 'U:gazetteer:cities[0]:%gazetteer[0,0,cities]']
 */
export function withListTemplates(
  templates: string,
  resources: Resources | undefined,
  functions: TokenFunctions = noTokenFunctions,
): string {
  if (resources === undefined) return templates;
  const mentioned = new Set<string>();
  for (const { pieces } of parseTemplates(templates, undefined, functions).templates) {
    for (const piece of pieces) {
      if (typeof piece !== 'string') mentioned.add(`${piece.apply} ${piece.resource}`);
    }
  }
  const more: string[] = [];
  const around = (name: string, macro: string, bits = '') => {
    for (const at of [-1, 0, 1]) {
      const label = `U:${macro}:${name}[${at}${bits === '' ? '' : `,${bits}`}]`;
      more.push(`${label}:%${macro}[${at},0,${name}${bits === '' ? '' : `,${bits}`}]`);
    }
  };
  for (const name of Object.keys(resources.gazetteers ?? {})) {
    if (!mentioned.has(`gazetteer ${name}`)) around(name, 'gazetteer');
  }
  for (const [name, { bits: own }] of Object.entries(resources.clusters ?? {})) {
    if (mentioned.has(`cluster ${name}`)) continue;
    for (const bits of [...(own ?? prefixes), 0])
      around(name, 'cluster', bits === 0 ? '' : String(bits));
  }
  for (const name of Object.keys(resources.vectors ?? {})) {
    if (!mentioned.has(`vector ${name}`)) around(name, 'vector');
  }
  return [templates, ...more].join('\n');
}
