import type { Contribution } from '../core/training/contribution.js';

/**
 * Returns the number of tokens at which a loss's predicted labels differ from the gold ones, the
 * Hamming cost, from residuals of two label sequences.
 */
export function wrongTokens({ minibatch, residual, width }: Contribution, s: number): number {
  let wrong = 0;
  const last = minibatch.tokenEnds?.[s] ?? minibatch.sentenceStarts[s + 1]!;
  for (let t = minibatch.sentenceStarts[s]!; t < last; t += 1) {
    const end = (t + 1) * width;
    let i = t * width;
    while (i < end && residual[i] === 0) i += 1;
    if (i < end) wrong += 1;
  }
  return wrong;
}

/** Returns whether there is any such token; stops at the first one. */
export function hasWrong({ minibatch, residual, width }: Contribution, s: number): boolean {
  const last = minibatch.tokenEnds?.[s] ?? minibatch.sentenceStarts[s + 1]!;
  const end = last * width;
  let i = minibatch.sentenceStarts[s]! * width;
  while (i < end && residual[i] === 0) i += 1;
  return i < end;
}
