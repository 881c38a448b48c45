import type { AllowedLabels } from '../../core/minibatch/allowed-labels.js';

/** What is known of the labels of a sentence: all of them, or which there may be. */
export interface GivenLabels {
  readonly gold: Int32Array | undefined;
  readonly allowed: AllowedLabels | undefined;
}

/** Of labels with hidden states the states that they may be in: no token has just one. */
export function statesOfGiven({ gold, allowed }: GivenLabels, states: number): GivenLabels {
  if (gold !== undefined) return { gold: undefined, allowed: statesOfGold(gold, states) };
  return { gold, allowed: allowed && allStates(allowed, states) };
}

/**
 * All states of the labels that each token may have, from the numbers of their first states. A token of which nothing
 * is known stays so.
 *
 * @example
 * allStates({ starts: Uint32Array.of(0, 1, 1), labels: Uint32Array.of(4) }, 2)
 * // => { starts: Uint32Array.of(0, 2, 2), labels: Uint32Array.of(4, 5) }
 */
export function allStates({ starts, labels }: AllowedLabels, states: number): AllowedLabels {
  return {
    starts: starts.map(start => start * states),
    labels: Uint32Array.from(
      { length: labels.length * states },
      (_, i) => labels[Math.floor(i / states)]! + (i % states),
    ),
  };
}

/** The same of gold labels; undefined where one of them is not known. */
export function statesOfGold(gold: Int32Array, states: number): AllowedLabels | undefined {
  if (gold.includes(-1)) return undefined;
  const starts = Uint32Array.from({ length: gold.length + 1 }, (_, t) => t);
  return allStates({ starts, labels: Uint32Array.from(gold) }, states);
}
