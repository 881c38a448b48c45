import type { PairGraph } from './pair-graph.js';
import { PriorityQueue } from './priority-queue.js';

/** A node with those of its neighbours that it was connected with when it was eliminated: a clique of a junction tree. */
export interface Clique {
  readonly node: number;
  /** In the order in which they are eliminated. */
  readonly later: readonly number[];
}

const queue = new PriorityQueue();

/**
 * Eliminates the nodes of a graph one by one, each time one whose neighbours need the fewest edges among them to be all
 * connected (min-fill), and connects them. The cliques, in the order of elimination, are those of a junction tree:
 * all `later` nodes of one are in that of the first of them. Undefined where one has more than `maxWidth` later nodes.
 *
 * Cost O(nodes * width^3) for graphs of bounded width. Kjaerulff (1990); Koller and Friedman (2009), section 9.4.
 */
export function eliminate(graph: PairGraph, maxWidth: number): Clique[] | undefined {
  const neighbours = Array.from({ length: graph.nodes }, () => new Set<number>());
  for (let e = 0; e < graph.edges; e += 1) {
    neighbours[graph.lower[e]!]!.add(graph.upper[e]!);
    neighbours[graph.upper[e]!]!.add(graph.lower[e]!);
  }
  queue.open(graph.nodes);
  for (let i = 0; i < graph.nodes; i += 1) queue.set(i, -fillOf(neighbours, i, maxWidth));
  const cliques: { node: number; later: number[] }[] = [];
  const order = new Int32Array(graph.nodes);
  while (!queue.isEmpty) {
    const node = queue.take();
    const later = [...neighbours[node]!];
    if (later.length > maxWidth) return undefined;
    order[node] = cliques.length;
    cliques.push({ node, later });
    const changed = new Set(later);
    for (const one of later) {
      neighbours[one]!.delete(node);
      for (const other of later) {
        if (one >= other || neighbours[one]!.has(other)) continue;
        // Whoever knows both has one edge less to fill in.
        for (const third of neighbours[one]!) if (neighbours[other]!.has(third)) changed.add(third);
        neighbours[one]!.add(other);
        neighbours[other]!.add(one);
      }
    }
    for (const one of changed) queue.set(one, -fillOf(neighbours, one, maxWidth));
  }
  for (const { later } of cliques) later.sort((a, b) => order[a]! - order[b]!);
  return cliques;
}

/** Edges that lack among the neighbours of a node; more than any other where it has too many to be eliminated. */
function fillOf(neighbours: readonly Set<number>[], node: number, maxWidth: number): number {
  const own = neighbours[node]!;
  if (own.size > maxWidth) return Number.MAX_SAFE_INTEGER;
  let missing = 0;
  for (const one of own) {
    for (const other of own) if (one < other && !neighbours[one]!.has(other)) missing += 1;
  }
  return missing;
}
