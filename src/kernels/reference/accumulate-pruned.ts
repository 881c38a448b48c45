import type { Contribution } from '../../core/training/contribution.js';
import type { Plane } from '../memory/plane.js';
import type { ParameterStore } from '../store/parameter-store.js';
import type { Support } from '../store/support.js';

/** The plain transitions of `Kernel.accumulate` of a pruned sentence: of the pairs that are left. Cost O(T k^2). */
export function accumulatePruned(
  { layout, width }: ParameterStore,
  support: Support | undefined,
  plane: Plane,
  { minibatch, pruned }: Contribution,
  s: number,
  factor: number,
): void {
  if (!layout.transitions) return;
  const target = plane.edges.view;
  const allowed = support?.transitions;
  const { starts, labels, pairs } = pruned!.lists();
  let pair = pruned!.pairStarts[s]!;
  for (let t = minibatch.sentenceStarts[s]! + 1; t < minibatch.sentenceStarts[s + 1]!; t += 1) {
    for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
      const row = labels[i]! * width;
      for (let j = starts[t]!; j < starts[t + 1]!; j += 1, pair += 1) {
        const at = row + labels[j]!;
        if (allowed === undefined || allowed[at] === 1) target[at]! += factor * pairs[pair]!;
      }
    }
  }
}
