// Vectors of float32 as long as there are parameters, beside those of float64; their lengths are multiples of 8.

import { sumOf } from './vectors';

/** Numbers that are worked on at once: they stay in the first cache while many vectors pass by. */
const atOnce: i32 = 1024;

/** out = x - y in float32; returns the sum of its squares, as it was rounded. */
export function narrowDifference(out: usize, x: usize, y: usize, count: i32): f64 {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  for (let left = count; left > 0; left -= 4) {
    const u0 = f32x4.demote_f64x2_zero(f64x2.sub(v128.load(x), v128.load(y)));
    const u1 = f32x4.demote_f64x2_zero(f64x2.sub(v128.load(x, 16), v128.load(y, 16)));
    v128.store64_lane(out, u0, 0);
    v128.store64_lane(out, u1, 0, 8);
    const w0 = f64x2.promote_low_f32x4(u0);
    const w1 = f64x2.promote_low_f32x4(u1);
    s0 = f64x2.add(s0, f64x2.mul(w0, w0));
    s1 = f64x2.add(s1, f64x2.mul(w1, w1));
    out += 16;
    x += 32;
    y += 32;
  }
  return sumOf<f64>(f64x2.add(s0, s1));
}

/**
 * Of each of some vectors of float32 the sum of its products with `x` (float32), and with `y` (float64), added to two
 * sums each. Their addresses are those in the table plus `at`.
 */
export function addProducts(
  table: usize,
  many: i32,
  at: usize,
  x: usize,
  y: usize,
  count: i32,
  sums: usize,
): void {
  for (let from = 0; from < count; from += atOnce) {
    const shift = (<usize>from) << 2;
    const end = shift + ((<usize>min<i32>(atOnce, count - from)) << 2);
    for (let i = 0; i < many; i += 1) {
      const vector = <usize>load<u32>(table + ((<usize>i) << 2)) + at;
      let s0 = f64x2.splat(0);
      let s1 = s0;
      let t0 = s0;
      let t1 = s0;
      for (let k = shift; k < end; k += 16) {
        const v0 = f64x2.promote_low_f32x4(v128.load64_zero(vector + k));
        const v1 = f64x2.promote_low_f32x4(v128.load64_zero(vector + k, 8));
        s0 = f64x2.add(s0, f64x2.mul(v0, f64x2.promote_low_f32x4(v128.load64_zero(x + k))));
        s1 = f64x2.add(s1, f64x2.mul(v1, f64x2.promote_low_f32x4(v128.load64_zero(x + k, 8))));
        t0 = f64x2.add(t0, f64x2.mul(v0, v128.load(y + (k << 1))));
        t1 = f64x2.add(t1, f64x2.mul(v1, v128.load(y + (k << 1), 16)));
      }
      const sum = sums + ((<usize>i) << 4);
      store<f64>(sum, load<f64>(sum) + sumOf<f64>(f64x2.add(s0, s1)));
      store<f64>(sum, load<f64>(sum, 8) + sumOf<f64>(f64x2.add(t0, t1)), 8);
    }
  }
}

/** out = a out + the sum of vectors of float32 by their factors; their addresses are those in the table plus `at`. */
export function mixVectors(
  out: usize,
  a: f64,
  table: usize,
  factors: usize,
  many: i32,
  at: usize,
  count: i32,
): void {
  const scale = f64x2.splat(a);
  for (let from = 0; from < count; from += atOnce) {
    const shift = (<usize>from) << 2;
    const end = shift + ((<usize>min<i32>(atOnce, count - from)) << 2);
    for (let k = shift << 1; k < end << 1; k += 16) {
      v128.store(out + k, f64x2.mul(scale, v128.load(out + k)));
    }
    for (let i = 0; i < many; i += 1) {
      const vector = <usize>load<u32>(table + ((<usize>i) << 2)) + at;
      const factor = f64x2.splat(load<f64>(factors + ((<usize>i) << 3)));
      for (let k = shift; k < end; k += 16) {
        const to = out + (k << 1);
        const v0 = f64x2.promote_low_f32x4(v128.load64_zero(vector + k));
        const v1 = f64x2.promote_low_f32x4(v128.load64_zero(vector + k, 8));
        v128.store(to, f64x2.add(v128.load(to), f64x2.mul(factor, v0)));
        v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(factor, v1)), 16);
      }
    }
  }
}
