/**
 * Whether a fingerprint comes twice, or is 0, which stands for none. Takes 5 to 11 bytes for each while
 * it looks; cost O(keys).
 *
 * @param keys lo and hi in turn
 * @example
 * repeatsKey(Uint32Array.of(1, 2, 3, 4, 1, 2)) // => true
 * repeatsKey(Uint32Array.of(1, 2, 2, 1)) // => false
 */
export function repeatsKey(keys: Uint32Array): boolean {
  const count = keys.length / 2;
  const places = 2 ** Math.ceil(Math.log2(count * 1.25 + 1));
  const mask = places - 1;
  // Numbers of keys from 1, by their hash; what is taken goes to the next place.
  const table = new Uint32Array(places);
  for (let i = 0; i < count; i += 1) {
    const lo = keys[i * 2]!;
    const hi = keys[i * 2 + 1]!;
    if (lo === 0 && hi === 0) return true;
    let at = Math.imul(lo ^ Math.imul(hi, 0x85ebca6b), 0x9e3779b1) >>> 0;
    for (at = (at ^ (at >>> 15)) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const other = (table[at]! - 1) * 2;
      if (keys[other] === lo && keys[other + 1] === hi) return true;
    }
    table[at] = i + 1;
  }
  return false;
}
