import type { Alternative } from '../../core/sentence/alternative.js';
import type { RankedLabels } from './decoded.js';

/**
 * Label sequences with the names of their labels.
 *
 * @example
 * alternatives([{ labels: Int32Array.of(1, 0), score: 2, probability: 0.5 }], ['O', 'X'])
 * // => [{ tags: ['X', 'O'], score: 2, probability: 0.5 }]
 */
export function alternatives(
  paths: readonly RankedLabels[],
  names: readonly string[],
): Alternative[] {
  return paths.map(({ labels, score, probability }) => {
    const tags: string[] = [];
    // Without an iterator, which takes as long as to find the labels.
    for (let t = 0; t < labels.length; t += 1) tags.push(names[labels[t]!]!);
    return { tags, score, probability };
  });
}
