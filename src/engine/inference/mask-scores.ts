import type { Lattice } from '../kernels/lattice.js';

/** Forbidden label pairs, first labels and last labels, by label number. */
export interface TransitionMask {
  /** Forbidden pairs, flattened: from, to, from, to, ... */
  readonly pairs: Uint32Array;
  /** Labels that cannot begin a sentence. */
  readonly first: Uint32Array;
  /** Labels that cannot end a sentence. */
  readonly last: Uint32Array;
  /**
   * Whether every label is possible at every token except the first and last: each has a
   * predecessor that can begin a sentence and a successor that can end one.
   */
  readonly connected: boolean;
}

const forbidden = Number.NEGATIVE_INFINITY;

/**
 * Sets the scores of forbidden transitions in a whole batch to minus infinity. Cost O(forbidden
 * pairs) for the batch and for each token with its own matrix.
 */
export function maskTransitions(lattice: Lattice, mask: TransitionMask): void {
  const { pairs, first, last, connected } = mask;
  lattice.closedEnds = connected;
  const { width, matrixSize, slots } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const transitions = lattice.transitionScores.view;
  const edges = lattice.edgeScores.view;
  for (let i = 0; i < pairs.length; i += 2) {
    const at = pairs[i]! * width + pairs[i + 1]!;
    transitions[at] = forbidden;
    for (let slot = 0; slot < slots; slot += 1) edges[slot * matrixSize + at] = forbidden;
  }
  if (first.length === 0 && last.length === 0) return;
  const emissions = lattice.emissionScores.view;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    const begin = sentenceStarts[s]! * width;
    const end = (sentenceStarts[s + 1]! - 1) * width;
    for (let i = 0; i < first.length; i += 1) emissions[begin + first[i]!] = forbidden;
    for (let i = 0; i < last.length; i += 1) emissions[end + last[i]!] = forbidden;
  }
}

/**
 * Sets the scores of a token's labels to minus infinity unless `allowed` has a 1 for them. Cost
 * O(L).
 */
export function maskToken(lattice: Lattice, token: number, allowed: Uint8Array): void {
  const emissions = lattice.emissionScores.view;
  const row = token * lattice.width;
  for (let y = 0; y < lattice.labels; y += 1) {
    if (allowed[y] !== 1) emissions[row + y] = forbidden;
  }
}

/** Adds a bonus to the scores of a token's labels that have a 1 in `labels`. Cost O(L). */
export function addBonus(
  lattice: Lattice,
  token: number,
  { labels, weight }: { readonly labels: Uint8Array; readonly weight: number },
): void {
  const emissions = lattice.emissionScores.view;
  const row = token * lattice.width;
  for (let y = 0; y < lattice.labels; y += 1) {
    if (labels[y] === 1) emissions[row + y]! += weight;
  }
}
