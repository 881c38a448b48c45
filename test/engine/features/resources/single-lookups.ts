import { FingerprintList } from '../../../../src/engine/features/fingerprints/fingerprint-list.js';
import type { FeatureIndex } from '../../../../src/engine/features/index/feature-index.js';
import { RowList } from '../../../../src/engine/features/index/row-list.js';

/** One lookup at a time, as lists of one feature: the row, or -1. */
export function singleLookups(index: FeatureIndex): {
  find(lo: number, hi: number): number;
  intern(lo: number, hi: number): number;
} {
  const list = new FingerprintList(index.memory);
  const rows = new RowList(index.memory);
  const look = (lo: number, hi: number, grow: boolean) => {
    list.open(1, 1);
    rows.open(1, 1, false);
    list.words().set([lo, hi]);
    if (grow) index.internAll(list, 0, rows);
    else index.findAll(list, 0, rows);
    return rows.take(1, undefined).rows[0] ?? -1;
  };
  return {
    find: (lo, hi) => look(lo, hi, false),
    intern: (lo, hi) => look(lo, hi, true),
  };
}
