import { ClusterLookup, ClusterTable } from './cluster-lookup.js';
import type { Resources } from './resources.js';
import { VectorLookup } from './vector-lookup.js';

/** Share of a text that is covered by a word list. */
export interface ListCoverage {
  readonly kind: 'clusters' | 'vectors';
  readonly name: string;
  /** Share of the tokens with a letter that are in the list, from 0 to 1. */
  readonly share: number;
  /** Share that are in the list if tokens are also looked up in lower case. */
  readonly folded: number;
  /**
   * Path length in bits, if clusters are looked up by prefixes although all paths have the same
   * length.
   */
  readonly equalBits?: number;
}

/** Number of clusters from which on a tree would hardly give all of them the same depth. */
const fewClusters = 8;

/** Share below which a list is a poor match, and improvement that lower case must bring. */
const [leastShare, leastGain] = [0.6, 0.05];

/**
 * Computes the share of a text's tokens that the clusters and vectors of a model cover. Empty for a text
 * without a letter.
 *
 * Cost O(tokens + words of the lists).
 *
 * @example
 * const clusters = { brown: { text: '00\tcat\tdog\n01\trun', fold: false } };
 * listCoverage({ clusters }, ['Dog', 'cat', 'run', '.', 'fast']).map(({ share, folded }) => [share, folded])
 * // => [[0.5, 0.75]]
 */
export function listCoverage(resources: Resources, tokens: Iterable<string>): ListCoverage[] {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const words = [...counts.keys()].filter(word => /\p{L}/u.test(word));
  const lower = words.map(word => word.toLowerCase());
  const all = words.reduce((sum, word) => sum + counts.get(word)!, 0);
  if (all === 0) return [];
  const covered = (find: Find) => {
    const [plain, folded] = [find(words), find(lower)];
    let [known, knownFolded] = [0, 0];
    for (const [i, word] of words.entries()) {
      const count = counts.get(word)!;
      if (plain[i] !== undefined) known += count;
      if (plain[i] !== undefined || folded[i] !== undefined) knownFolded += count;
    }
    return { share: known / all, folded: knownFolded / all };
  };
  const { clusters = {}, vectors = {} } = resources;
  return [
    ...Object.entries(clusters).map(([name, list]): ListCoverage => {
      const table = new ClusterTable(list);
      const lookup = new ClusterLookup(table, 0);
      const equalBits = list.bits?.length === 0 ? undefined : equalLength(table.paths);
      return {
        ...{ kind: 'clusters', name, ...covered(column => lookup.texts(column)) },
        ...(equalBits === undefined ? {} : { equalBits }),
      };
    }),
    ...Object.entries(vectors).map(([name, list]): ListCoverage => {
      const lookup = new VectorLookup(list);
      return { kind: 'vectors', name, ...covered(column => lookup.texts(column)) };
    }),
  ];
}

type Find = (column: readonly string[]) => readonly (string | undefined)[];

function equalLength(paths: readonly string[]): number | undefined {
  const [{ length } = ''] = paths;
  if (paths.length < fewClusters) return undefined;
  return paths.every(path => path.length === length) ? length : undefined;
}

/**
 * Describes the problems in the match of a list and a text, each with the fix.
 *
 * @example
 * listProblems({ kind: 'vectors', name: 'glove', share: 0.7, folded: 0.9 })
 * // => ['vectors glove cover 70 % of the words, 90 % in lower case; set fold: true']
 */
export function listProblems({ kind, name, share, folded, equalBits }: ListCoverage): string[] {
  const about = `${kind} ${name} cover ${percent(share)} of the words`;
  const problems: string[] = [];
  if (folded - share >= leastGain) {
    problems.push(`${about}, ${percent(folded)} in lower case; set fold: true`);
  }
  if (Math.max(share, folded) < leastShare) {
    problems.push(`${about}, too few to help; use a list of the same language and tokenization`);
  }
  if (equalBits !== undefined) {
    problems.push(
      `${kind} ${name}: all paths have ${equalBits} bits, like clusters of word vectors, whose prefixes are not coarser clusters; set bits: none`,
    );
  }
  return problems;
}

/** Formats a share as a percentage. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
