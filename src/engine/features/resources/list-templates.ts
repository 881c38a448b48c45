import { parseTemplates } from '../template/parse-templates.js';
import { noTokenFunctions, type TokenFunctions } from '../template/token-function.js';
import type { Resources } from './resources.js';

/** Default prefix lengths, in bits, for templates, used in addition to whole paths. */
const prefixes = [4, 6, 10];

/** Offsets of cluster templates: the token and two neighbours on each side; and the pairs. */
const clusterPlaces = [-2, -1, 0, 1, 2];
const nextTo = [
  [-1, 0],
  [0, 1],
] as const;
const aroundToken = [-1, 1] as const;

/**
 * Adds templates for the lists that no template mentions: for gazetteers and word vectors at the
 * token and its two neighbours; for clusters at the token and two neighbours on each side, with 4,
 * 6, 10 (or `bits`) and all bits of the path, and for the pairs of the token with each neighbour
 * and, for the longest of these prefixes, for the pair of both neighbours.
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
  const add = (macro: string, name: string, places: readonly number[], bits = 0) => {
    const prefix = bits === 0 ? '' : `,${bits}`;
    const label = places.map(at => `[${at}${prefix}]`).join('');
    const macros = places.map(at => `%${macro}[${at},0,${name}${prefix}]`);
    more.push(`U:${macro}:${name}${label}:${macros.join('/')}`);
  };
  const around = (macro: string, name: string) => {
    for (const at of [-1, 0, 1]) add(macro, name, [at]);
  };
  for (const name of Object.keys(resources.gazetteers ?? {})) {
    if (!mentioned.has(`gazetteer ${name}`)) around('gazetteer', name);
  }
  for (const [name, { bits: own = prefixes }] of Object.entries(resources.clusters ?? {})) {
    if (mentioned.has(`cluster ${name}`)) continue;
    for (const bits of [...own, 0]) {
      for (const at of clusterPlaces) add('cluster', name, [at], bits);
    }
    for (const pair of nextTo) add('cluster', name, pair);
    const most = Math.max(0, ...own);
    if (most > 0) for (const pair of [...nextTo, aroundToken]) add('cluster', name, pair, most);
  }
  for (const name of Object.keys(resources.vectors ?? {})) {
    if (!mentioned.has(`vector ${name}`)) around('vector', name);
  }
  return [templates, ...more].join('\n');
}
