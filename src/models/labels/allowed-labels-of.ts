import { TagstreamError } from '../../core/errors.js';
import type { AllowedLabels } from '../../core/minibatch/allowed-labels.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';

/**
 * The labels that each token may have, as numbers, each once. Labels without a number (-1) are left out; undefined
 * where a token then has none left, as nothing is to be learned from a sentence that the model cannot
 * give right.
 *
 * @param numberOf number of a label, or -1
 * @throws TagstreamError `unknown-label` if a token may have no label at all
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
    fix: 'give its possible labels, or null if unknown',
  });
}
