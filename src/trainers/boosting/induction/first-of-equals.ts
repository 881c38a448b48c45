import type { Occurrences } from '../../descent/occurrences.js';

/**
 * 1 for each feature that occurs and that is no other than an earlier one: active at the same tokens with the same values.
 * Cost O(features of all tokens), and a look at the features of each with the same hash.
 */
export function firstOfEquals(occurrences: Occurrences): Uint8Array {
  const { starts } = occurrences;
  const isFirst = new Uint8Array(starts.length - 1);
  const byHash = new Map<number, number[]>();
  for (let row = 0; row + 1 < starts.length; row += 1) {
    if (starts[row] === starts[row + 1]) continue;
    const hash = hashOf(occurrences, row);
    const others = byHash.get(hash);
    if (others?.some(other => areEqual(occurrences, row, other)) === true) continue;
    if (others === undefined) byHash.set(hash, [row]);
    else others.push(row);
    isFirst[row] = 1;
  }
  return isFirst;
}

function hashOf({ starts, tokens }: Occurrences, row: number): number {
  let hash = 0x811c9dc5;
  for (let i = starts[row]!; i < starts[row + 1]!; i += 1) {
    hash = Math.imul(hash ^ tokens[i]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}

function areEqual({ starts, tokens, values }: Occurrences, one: number, other: number): boolean {
  const length = starts[one + 1]! - starts[one]!;
  if (starts[other + 1]! - starts[other]! !== length) return false;
  for (let i = 0; i < length; i += 1) {
    const [a, b] = [starts[one]! + i, starts[other]! + i];
    if (tokens[a] !== tokens[b] || values?.[a] !== values?.[b]) return false;
  }
  return true;
}
