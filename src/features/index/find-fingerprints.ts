import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import { RowList } from './row-list.js';

/** Fingerprints that are looked up at once. */
const chunk = 4096;

/**
 * The row of each of some fingerprints in an index, or -1 where it has none; the index stays as it is.
 *
 * @param fingerprints lo and hi in turn, none of them 0
 */
export function findFingerprints(index: FeatureIndex, fingerprints: Uint32Array): Int32Array {
  const rows = new Int32Array(fingerprints.length / 2).fill(-1);
  const list = new FingerprintList(index.memory);
  const found = new RowList(index.memory);
  for (let from = 0; from < rows.length; from += chunk) {
    const part = fingerprints.subarray(2 * from, 2 * (from + chunk));
    list.open(part.length / 2, 1);
    found.open(list.length, list.places, true);
    list.words().set(part);
    index.findAll(list, 0, found);
    const known = found.take(list.length, undefined).rows;
    const places = found.takePlaces(list.length);
    for (let i = 0; i < known.length; i += 1) rows[from + places[i]!] = known[i]!;
  }
  return rows;
}
