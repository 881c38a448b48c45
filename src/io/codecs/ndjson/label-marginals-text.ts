import type { LabelMarginals } from '../../../core/sentence/label-marginals.js';

/**
 * JSON text of the probabilities of all labels at some tokens: an object for each token, with the labels in their order,
 * whatever their names are.
 *
 * @param from the first token, and `to` the one after the last; all if they are absent
 * @example
 * labelMarginalsText({ labels: ['X', '1'], values: Float64Array.of(0.25, 0.75) }) // => '[{"X":0.25,"1":0.75}]'
 */
export function labelMarginalsText(
  { labels, values }: LabelMarginals,
  from = 0,
  to = values.length / labels.length,
): string {
  const keys = labels.map(label => `${JSON.stringify(label)}:`);
  let text = '[';
  for (let t = from; t < to; t += 1) {
    text += t === from ? '{' : ',{';
    for (let y = 0; y < keys.length; y += 1) {
      if (y > 0) text += ',';
      text += keys[y]! + values[t * keys.length + y]!;
    }
    text += '}';
  }
  return `${text}]`;
}
