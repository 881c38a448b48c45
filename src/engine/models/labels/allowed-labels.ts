import { TagstreamError } from '../../core/errors.js';
import type { AllowedLabels } from '../../core/minibatch/encoded-sentence.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';

/**
 * Returns the labels that each token may have, as distinct numbers. Unknown labels (-1) are dropped; returns
 * undefined if a token then has none left, because a model cannot learn from a sentence that it cannot predict.
 *
 * @param numberOf function that returns the number of a label, or -1
 * @throws TagstreamError `unknown-label` if a token has an empty set of labels
 */
export function allowedLabelsOf(
  tags: readonly PartialTag[],
  numberOf: (label: string) => number,
): AllowedLabels | undefined {
  const starts = new Uint32Array(tags.length + 1);
  const labels: number[] = [];
  let isLearnable = true;
  for (let t = 0; t < tags.length; t += 1) {
    const tag = tags[t]!;
    const set = tag === null ? none : typeof tag === 'string' ? [tag] : tag;
    if (tag !== null && set.length === 0) throw noLabel(t);
    for (const name of set) {
      const label = numberOf(name);
      if (label >= 0 && labels.indexOf(label, starts[t]!) < 0) labels.push(label);
    }
    starts[t + 1] = labels.length;
    if (tag !== null && starts[t] === starts[t + 1]) isLearnable = false;
  }
  return isLearnable ? { starts, labels: Uint32Array.from(labels) } : undefined;
}

const none: readonly string[] = [];

function noLabel(t: number): TagstreamError {
  return new TagstreamError('unknown-label', `token ${t} has an empty set of labels`, {
    fix: 'list its possible labels, or give null if they are unknown',
  });
}

/**
 * Returns the label of each token that can have only one; -1 for the others.
 *
 * @example
 * const allowed = { starts: Uint32Array.of(0, 1, 3, 3), labels: Uint32Array.of(4, 0, 1) };
 * certainLabels(allowed) // => Int32Array.of(4, -1, -1)
 */
export function certainLabels({ starts, labels }: AllowedLabels): Int32Array {
  const certain = new Int32Array(starts.length - 1).fill(-1);
  for (let t = 0; t < certain.length; t += 1) {
    if (starts[t + 1]! - starts[t]! === 1) certain[t] = labels[starts[t]!]!;
  }
  return certain;
}

/** The known labels of a sentence: gold labels, or the allowed ones. */
export interface GivenLabels {
  readonly gold: Int32Array | undefined;
  readonly allowed: AllowedLabels | undefined;
}

/** Returns the allowed states for labels with hidden states, where no token has just one. */
export function statesOfGiven({ gold, allowed }: GivenLabels, states: number): GivenLabels {
  if (gold !== undefined) return { gold: undefined, allowed: statesOfGold(gold, states) };
  return { gold, allowed: allowed && allStates(allowed, states) };
}

/**
 * Returns all states of each token's allowed labels, given by their first states. An unconstrained token stays
 * unconstrained.
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

/** Returns all states of gold labels; undefined if a label is unknown. */
export function statesOfGold(gold: Int32Array, states: number): AllowedLabels | undefined {
  if (gold.includes(-1)) return undefined;
  const starts = Uint32Array.from({ length: gold.length + 1 }, (_, t) => t);
  return allStates({ starts, labels: Uint32Array.from(gold) }, states);
}
