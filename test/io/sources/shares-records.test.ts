import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecordSelector, type Selection } from '../../../src/io/sources/select-records.js';
import { sharesRecords } from '../../../src/io/sources/shares-records.js';

const split: fc.Arbitrary<Pick<Selection, 'split'>> = fc
  .tuple(fc.integer({ min: 2, max: 7 }), fc.boolean(), fc.nat(6), fc.nat(6))
  .map(([every, takes, a, b]) => {
    const remainders = [a % every, b % every];
    return { split: takes ? { every, take: remainders } : { every, except: remainders } };
  });

it('finds a common record exactly where there is one', () => {
  fc.assert(
    fc.property(split, split, (one, other) => {
      const kept = (selection: Selection) => {
        const selector = new RecordSelector(selection);
        return Array.from({ length: 120 }, () => selector.next());
      };
      const [first, second] = [kept(one), kept(other)];
      const common = first.some((isKept, i) => isKept && second[i]);
      expect(sharesRecords(one, other)).toBe(common);
      expect(sharesRecords(one, {})).toBe(first.includes(true));
    }),
  );
});
