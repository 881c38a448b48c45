import type { Contribution } from '../core/training/contribution.js';

/**
 * Returns the Hamming cost, the number of tokens whose predicted and gold labels differ, from the
 * residuals of two label sequences.
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

/** Returns whether any token's predicted and gold labels differ; stops at the first one. */
export function hasWrong({ minibatch, residual, width }: Contribution, s: number): boolean {
  const last = minibatch.tokenEnds?.[s] ?? minibatch.sentenceStarts[s + 1]!;
  const end = last * width;
  let i = minibatch.sentenceStarts[s]! * width;
  while (i < end && residual[i] === 0) i += 1;
  return i < end;
}
