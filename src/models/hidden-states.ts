/** Hidden states of the labels of a model; plain data, part of its specification. */
export interface HiddenStates {
  /** States of each label, from 2. */
  readonly states: number;
  /** Weights start within [-spread, spread], as states that start alike stay alike. */
  readonly spread: number;
  /** Seed of where they start. */
  readonly seed: number;
}

/** How far from 0 weights start by default. */
export const defaultSpread = 0.1;

/**
 * What is meant by a number of states, or by options; undefined for one state, which is not hidden.
 *
 * @example
 * hiddenStatesOf(2) // => { states: 2, spread: 0.1, seed: 1 }
 * hiddenStatesOf(1) // => undefined
 */
export function hiddenStatesOf(
  chosen:
    | number
    | {
        readonly states: number;
        readonly spread?: number | undefined;
        readonly seed?: number | undefined;
      },
): HiddenStates | undefined {
  const {
    states,
    spread = defaultSpread,
    seed = 1,
  } = typeof chosen === 'number' ? { states: chosen } : chosen;
  return states === 1 ? undefined : { states, spread, seed };
}
