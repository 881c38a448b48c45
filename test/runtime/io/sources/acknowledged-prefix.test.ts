import { describe, expect, it } from 'vitest';
import type { Position } from '../../../../src/engine/core/delivery/delivery.js';
import {
  AcknowledgedPrefix,
  type PrefixEntry,
} from '../../../../src/runtime/io/sources/source-delivery.js';

type Entry = PrefixEntry & { settled: boolean };

function opened(count: number) {
  const ends: number[] = [];
  const prefix = new AcknowledgedPrefix(({ end }: Position) => ends.push(end));
  const entries = Array.from({ length: count }, (_, i): Entry => {
    return { settled: false, last: { source: 'a', line: i + 1, start: 5 * i, end: 5 * i + 4 } };
  });
  for (const entry of entries) prefix.open(entry);
  return { ends, prefix, entries };
}

describe('AcknowledgedPrefix', () => {
  it('continues to the last of the entries that are settled without a gap', () => {
    const { ends, prefix, entries } = opened(4);
    for (const i of [1, 0, 3, 2]) {
      entries[i]!.settled = true;
      prefix.advance();
    }
    expect(ends).toEqual([9, 19]);
  });

  it('lets an entry stand for the next, but not across one that is open', () => {
    const { ends, prefix, entries } = opened(3);
    const [first, second, third] = entries as [Entry, Entry, Entry];
    expect(prefix.absorb(first, third)).toBe(false);
    expect(prefix.absorb(first, second)).toBe(true);
    expect(prefix.absorb(first, third)).toBe(true);
    first.settled = true;
    prefix.advance();
    expect(ends).toEqual([14]);
  });

  it('leaves no entry that is done with holding on to those after it', () => {
    const { prefix, entries } = opened(4);
    const [first, second, third, fourth] = entries as [Entry, Entry, Entry, Entry];
    prefix.absorb(first, second);
    first.settled = true;
    prefix.advance();
    expect(first.following).toBeUndefined();
    expect(second.following).toBeUndefined();
    expect(third.following).toBe(fourth);
  });
});
