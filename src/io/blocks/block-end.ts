import type { Position } from '../../core/delivery/delivery.js';
import type { Block } from './block-cutter.js';

const LF = 10;

/**
 * The position that a run resumes after when all records of a block are handled: as that of its last line.
 *
 * @example
 * const block = { bytes: new TextEncoder().encode('one\ntwo\n'), offset: 10, line: 4, lineEnds: 2 };
 * blockEnd('a', block) // => ({ source: 'a', line: 5, start: 17, end: 17 })
 */
export function blockEnd(source: string, { bytes, offset, line, lineEnds }: Block): Position {
  const closed = bytes.at(-1) === LF ? 1 : 0;
  const end = offset + bytes.length - closed;
  return { source, line: line + lineEnds - closed, start: end, end };
}
