/**
 * S(z, r) = sign(z) max(|z| - r, 0): what minimises (x - z)^2 / 2 + r |x|.
 *
 * @example
 * [softThreshold(3, 1), softThreshold(-3, 1), softThreshold(0.5, 1)] // => [2, -2, 0]
 */
export function softThreshold(z: number, r: number): number {
  if (z > r) return z - r;
  return z < -r ? z + r : 0;
}
