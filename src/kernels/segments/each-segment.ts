import type { SegmentTables } from './segment-tables.js';

/**
 * Visits the spans that the labels `[first, end)` mark: the number of their type, their last token and how many they
 * have. They are those of `labelSpans`; nothing is allocated.
 */
export function eachSegment(
  { first: opensFirst, labels, typeOf, startPairs, continuePairs }: SegmentTables,
  path: Int32Array,
  first: number,
  end: number,
  visit: (kind: number, last: number, length: number) => void,
): void {
  let start = -1;
  for (let t = first; t < end; t += 1) {
    const pair = t === first ? -1 : path[t - 1]! * labels + path[t]!;
    if (start >= 0 && continuePairs[pair] === 0) {
      visit(typeOf[path[start]!]!, t - 1, t - start);
      start = -1;
    }
    if ((t === first ? opensFirst[path[t]!] : startPairs[pair]) === 1) start = t;
  }
  if (start >= 0) visit(typeOf[path[start]!]!, end - 1, end - start);
}
