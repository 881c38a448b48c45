import type { PlannedPiece } from './extraction-plan.js';

/** The token that a piece looks at from token `t` of `length`; outside the sentence where there is none. */
export function placeOf(
  { absolute, offset }: Pick<PlannedPiece, 'absolute' | 'offset'>,
  t: number,
  length: number,
): number {
  if (!absolute) return t + offset;
  return offset >= 0 ? offset : length + offset;
}
