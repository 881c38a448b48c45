import { stateArray } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';

/**
 * A vector of a saved state, as a copy of its own.
 *
 * @throws TagstreamError `checkpoint` if it is absent or too short
 */
export function savedVector(state: State, name: string, length: number): Float64Array {
  return stateArray(state, name, [Float64Array], length).slice(0, length);
}
