import type { WeightChange } from '../kernels/voting/weight-change.js';

/**
 * One change for two that are made one after the other: where both change a weight, the second has the say.
 * Places ascend. Cost O(their places).
 *
 * @example
 * const first = { places: Uint32Array.of(1, 4), values: Float64Array.of(10, 40) };
 * const second = { places: Uint32Array.of(4, 5), values: Float64Array.of(41, 50) };
 * composed(first, second) // => { places: Uint32Array.of(1, 4, 5), values: Float64Array.of(10, 41, 50) }
 */
export function composed(first: WeightChange, second: WeightChange): WeightChange {
  const most = first.places.length + second.places.length;
  const places = new Uint32Array(most);
  const values =
    first.values instanceof Float64Array ? new Float64Array(most) : new Float32Array(most);
  let i = 0;
  let j = 0;
  let count = 0;
  while (i < first.places.length || j < second.places.length) {
    // Past the end a place is larger than any other.
    const a = first.places[i] ?? 2 ** 32;
    const b = second.places[j] ?? 2 ** 32;
    places[count] = Math.min(a, b);
    values[count] = b <= a ? second.values[j]! : first.values[i]!;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
    count += 1;
  }
  return { places: places.slice(0, count), values: values.slice(0, count) };
}
