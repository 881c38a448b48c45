import type { Position } from '../../../engine/core/delivery/delivery.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';

/**
 * Returns the position from which reading resumes after a position. The standard input, a pipe or a device continues
 * where it was left: all that it yields now is new.
 *
 * @example
 * resumePosition({ source: '<stdin>', line: 9, start: 80, end: 90 }) // => ({ source: '<stdin>', line: 1, start: 0, end: 0 })
 */
export function resumePosition(position: Position | undefined): Position | undefined {
  if (position === undefined || position.cursor !== undefined) return position;
  if (!readsOnce(position.source)) return position;
  return { source: position.source, line: 1, start: 0, end: 0 };
}
