import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { keyOrder } from '../../features/index/packed-keys.js';

/** Keys of rows as `keysOf` gives them, in the order of `keyOrder`, and the places of the rows in it; none of a hashed index. */
export function keysInOrder(
  index: FeatureIndex,
  rows: Uint32Array,
): { readonly keys: Uint32Array; readonly order?: Uint32Array } {
  const keys = keysOf(index, rows);
  if (!(index instanceof ExactIndex)) return { keys };
  const order = keyOrder(keys);
  const ordered = new Uint32Array(keys.length);
  for (let i = 0; i < order.length; i += 1) {
    ordered[2 * i] = keys[2 * order[i]!]!;
    ordered[2 * i + 1] = keys[2 * order[i]! + 1]!;
  }
  return { keys: ordered, order };
}

/** What a reader needs to find the rows again: fingerprints, or row numbers of a hashed index. */
export function keysOf(index: FeatureIndex, rows: Uint32Array): Uint32Array {
  if (!(index instanceof ExactIndex)) return rows;
  const all = index.fingerprints();
  const keys = new Uint32Array(rows.length * 2);
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]!;
    keys[i * 2] = all[row * 2]!;
    keys[i * 2 + 1] = all[row * 2 + 1]!;
  }
  return keys;
}

/** Fingerprints of all features, by their rows; undefined of a hashed index. */
export function fingerprintsOf(index: FeatureIndex): Uint32Array | undefined {
  return index instanceof ExactIndex ? index.fingerprints() : undefined;
}
