import { pastMarks } from '../../lines/byte-order-marks.js';

const LF = 10;

/** A stretch `[start, end)` of the bytes of a message. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * The stretches of a message that no result covers and that are not blank, and those that more than one result covers.
 *
 * O(n log n) in the number of results of the message.
 *
 * @example
 * const bytes = new TextEncoder().encode('{"a": 1}\n{"b": 2}\n');
 * coveredBytes(bytes, [{ start: 0, end: 9 }]) // => ({ missing: [{ start: 9, end: 17 }], doubled: [] })
 */
export function coveredBytes(
  bytes: Uint8Array,
  results: readonly Stretch[],
): { missing: Stretch[]; doubled: Stretch[] } {
  const missing: Stretch[] = [];
  const doubled: Stretch[] = [];
  let at = 0;
  for (const { start, end } of [...results].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < at) doubled.push({ start, end });
    else missing.push(...written(bytes, { start: at, end: start }));
    at = Math.max(at, end);
  }
  missing.push(...written(bytes, { start: at, end: bytes.length }));
  return { missing, doubled };
}

/**
 * What is not blank of a stretch, without the blanks at its ends, and without byte order marks at the beginnings of lines
 * before it, which are part of no record.
 */
function written(bytes: Uint8Array, { start, end }: Stretch): Stretch[] {
  let from = start;
  let to = Math.min(end, bytes.length);
  for (let past = -1; past !== from; ) {
    while (from < to && isBlank(bytes[from]!)) from += 1;
    past = from;
    if (from === 0 || bytes[from - 1] === LF) from = pastMarks(bytes, from, to);
  }
  while (to > from && isBlank(bytes[to - 1]!)) to -= 1;
  return from < to ? [{ start: from, end: to }] : [];
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
