import type { Minibatch } from '../../core/minibatch.js';
import type { ParameterStore } from '../parameter-store.js';

/** Rows of a block, as a power of two: owners of neighbouring rows would fight for cache lines. */
export const blockBits = 6;

/** The member of a crew that updates each row of the parameters; can be sent to another thread. */
export interface RowOwners {
  /** Of each block of 64 rows of state features. */
  readonly state: Uint8Array;
  /** Of each edge feature, the plain transitions first: those belong to member 0. */
  readonly edges: Uint8Array;
}

/**
 * Divides the parameters among `members` so that a pass over the corpus costs each about the same: blocks
 * in turn to whoever has least to do. Any division gives the same bytes. Cost O(active features).
 */
export function divideRows(store: ParameterStore, corpus: Minibatch, members: number): RowOwners {
  const { labelCapacity, stateRows, edgeRows } = store;
  const loads = new Float64Array(members);
  const edges = new Uint8Array(edgeRows);
  if (store.layout.transitions) loads[0]! += corpus.sentences.length * labelCapacity;
  const uses = counts(corpus.edgeRows, edgeRows, 0);
  for (let row = 1; row < edgeRows; row += 1) {
    edges[row] = least(loads);
    loads[edges[row]!]! += uses[row]! * labelCapacity;
  }
  const state = new Uint8Array((stateRows >> blockBits) + 1);
  const blockUses = counts(corpus.stateRows, state.length, blockBits);
  for (let block = 0; block < state.length; block += 1) {
    state[block] = least(loads);
    loads[state[block]!]! += blockUses[block]!;
  }
  return { state, edges };
}

function counts(rows: Uint32Array | undefined, length: number, bits: number): Float64Array {
  const uses = new Float64Array(length);
  if (rows === undefined) return uses;
  for (let k = 0; k < rows.length; k += 1) uses[rows[k]! >> bits]! += 1;
  return uses;
}

function least(loads: Float64Array): number {
  let best = 0;
  for (let i = 1; i < loads.length; i += 1) if (loads[i]! < loads[best]!) best = i;
  return best;
}
