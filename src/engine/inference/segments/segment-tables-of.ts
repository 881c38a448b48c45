import type { BoundaryPairs, SegmentTables } from '../../kernels/segments/segment-tables.js';
import { type SpanPairs, spanPairs } from '../../text/tags/spans.js';

/**
 * Builds the tables for some labels by the rules of `spansOf`: its results are the spans of a label
 * sequence, even if the sequence violates the scheme. Cost O(L^2).
 *
 * @param paired whether span scores depend on the label before the span
 * @example
 * const tables = segmentTablesOf(['O', 'B-X', 'I-X'], 4);
 * tables.types // => ['X']
 * Array.from(tables.insideFrom) // => [1, 2]
 */
export function segmentTablesOf(
  labels: readonly string[],
  maxLength: number,
  paired = false,
): SegmentTables {
  const pairs = spanPairs(labels);
  const { opens, outside } = reachable(labels.length, pairs);
  const types: string[] = [];
  const lanes: number[] = [];
  for (let y = 0; y < labels.length; y += 1) {
    if (opens[y] === 0 || types.includes(pairs.types[y]!)) continue;
    types.push(pairs.types[y]!);
    lanes.push(y);
  }
  const boundary: number[][] = [[], [], []];
  const inside: number[][] = [[], []];
  const stays: number[][] = [[], []];
  for (let from = 0; from < labels.length; from += 1) {
    for (let to = 0; to < labels.length; to += 1) {
      const pair = from * labels.length + to;
      if (pairs.continues[pair] === 0) {
        boundary[0]!.push(from);
        boundary[1]!.push(to);
        boundary[2]!.push(pairs.starts[pair]!);
        continue;
      }
      if (opens[from] === 1) {
        inside[0]!.push(from);
        inside[1]!.push(to);
      }
      if (outside[from] === 1) {
        stays[0]!.push(from);
        stays[1]!.push(to);
      }
    }
  }
  const befores = paired ? labels.length + 1 : 1;
  const states = 2 + befores * maxLength;
  return {
    ...{ labels: labels.length, maxLength, befores, states, types, opens },
    typeOf: Int32Array.from(labels, (_, y) => types.indexOf(pairs.types[y]!)),
    lanes: Int32Array.from(lanes),
    first: pairs.startsFirst,
    startPairs: pairs.starts,
    continuePairs: pairs.continues,
    boundaries: boundariesOf(labels.length, pairs),
    boundaryFrom: Int32Array.from(boundary[0]!),
    boundaryTo: Int32Array.from(boundary[1]!),
    startsAt: Uint8Array.from(boundary[2]!),
    insideFrom: Int32Array.from(inside[0]!),
    insideTo: Int32Array.from(inside[1]!),
    outsideFrom: Int32Array.from(stays[0]!),
    outsideTo: Int32Array.from(stays[1]!),
  };
}

/** Returns the pairs at which spans end, in the fewest masks. */
function boundariesOf(count: number, { starts, continues }: SpanPairs): BoundaryPairs[] {
  const masks = [0, 1].map(start => ({
    mask: continues.map((keeps, pair) => (keeps === 0 && starts[pair] === start ? 1 : 0)),
    startsAt: new Uint8Array(count).fill(start),
  }));
  const [after, before] = masks as [BoundaryPairs, BoundaryPairs];
  const reached = masks.map(({ mask }) => {
    const labels = new Uint8Array(count);
    for (const [pair, is] of mask.entries()) if (is === 1) labels[pair % count] = 1;
    return labels;
  });
  if (reached[0]!.some((is, y) => is === 1 && reached[1]![y] === 1)) return [after, before];
  return [{ mask: continues.map(keeps => 1 - keeps), startsAt: reached[1]! }];
}

/** Returns which labels can occur inside a span, and which outside. */
function reachable(
  count: number,
  { starts, startsFirst, continues }: SpanPairs,
): { opens: Uint8Array; outside: Uint8Array } {
  const opens = Uint8Array.from(startsFirst);
  const outside = startsFirst.map(is => 1 - is);
  for (let changed = true; changed; ) {
    changed = false;
    for (let pair = 0; pair < count * count; pair += 1) {
      const from = Math.floor(pair / count);
      const to = pair % count;
      const keeps = continues[pair] === 1;
      const open = starts[pair] === 1 || (keeps && opens[from] === 1);
      const out = keeps ? outside[from] === 1 : starts[pair] === 0;
      if (open && opens[to] === 0) {
        opens[to] = 1;
        changed = true;
      }
      if (out && outside[to] === 0) {
        outside[to] = 1;
        changed = true;
      }
    }
  }
  return { opens, outside };
}
