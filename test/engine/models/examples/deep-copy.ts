import type { State } from '../../../../src/engine/core/training/state.js';

/** A state as it comes back from a file: JSON written and read, arrays copied. */
export function deepCopy(state: State): State {
  return {
    json: JSON.parse(JSON.stringify(state.json)) as State['json'],
    arrays: Object.fromEntries(
      Object.entries(state.arrays).map(([name, array]) => [name, array.slice()]),
    ),
  };
}
