import type { Lattice } from './lattice.js';

/** Whether a sentence has tokens with transition scores of their own. Cost O(T) where any in the batch has. */
export function hasOwnTransitions({ slots, edgeSlots, batch }: Lattice, s: number): boolean {
  if (slots === 0) return false;
  const { sentenceStarts } = batch!;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    if (edgeSlots[t]! >= 0) return true;
  }
  return false;
}
