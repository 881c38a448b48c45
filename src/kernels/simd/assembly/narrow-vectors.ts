// Vectors of bfloat16 as long as there are parameters, beside those of float64; their lengths are multiples of 8.
// A bfloat16 is the upper half of a float32: its range, and eight significant bits.

import { sumOf } from './vectors';

/** Numbers that are worked on at once: they stay in the first cache while many vectors pass by. */
const atOnce: i32 = 1024;

/** Four numbers of float32 rounded to bfloat16, to nearest, ties to even; the lower half of each is zero. */
// @ts-expect-error: decorator
@inline
function rounded(v: v128): v128 {
  const odd = v128.and(i32x4.shr_u(v, 16), i32x4.splat(1));
  const sum = i32x4.add(v, i32x4.add(odd, i32x4.splat(0x7fff)));
  return v128.and(sum, i32x4.splat(0xffff0000));
}

/** Two numbers of float64 as float32, in the lower half. */
// @ts-expect-error: decorator
@inline
function difference(x: usize, y: usize, at: usize): v128 {
  return f32x4.demote_f64x2_zero(f64x2.sub(v128.load(x + at), v128.load(y + at)));
}

/** The upper two lanes of float32 as float64. */
// @ts-expect-error: decorator
@inline
function promoteHigh(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1));
}

/** out = x - y in bfloat16; returns the sum of its squares, as it was rounded. */
export function narrowDifference(out: usize, x: usize, y: usize, count: i32): f64 {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  for (let left = count; left > 0; left -= 8) {
    const u0 = rounded(v128.shuffle<i64>(difference(x, y, 0), difference(x, y, 16), 0, 2));
    const u1 = rounded(v128.shuffle<i64>(difference(x, y, 32), difference(x, y, 48), 0, 2));
    v128.store(out, v128.shuffle<i8>(u0, u1, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31));
    const w0 = f64x2.promote_low_f32x4(u0);
    const w1 = promoteHigh(u0);
    const w2 = f64x2.promote_low_f32x4(u1);
    const w3 = promoteHigh(u1);
    s0 = f64x2.add(s0, f64x2.add(f64x2.mul(w0, w0), f64x2.mul(w2, w2)));
    s1 = f64x2.add(s1, f64x2.add(f64x2.mul(w1, w1), f64x2.mul(w3, w3)));
    out += 16;
    x += 64;
    y += 64;
  }
  return sumOf<f64>(f64x2.add(s0, s1));
}

/**
 * Of each of some vectors of bfloat16 the sum of its products with `x` (bfloat16), and with `y` (float64), added to
 * two sums each. Their addresses are those in the table plus `at`.
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
    const shift = (<usize>from) << 1;
    const end = shift + ((<usize>min<i32>(atOnce, count - from)) << 1);
    for (let i = 0; i < many; i += 1) {
      const vector = <usize>load<u32>(table + ((<usize>i) << 2)) + at;
      let s0 = f64x2.splat(0);
      let s1 = s0;
      let t0 = s0;
      let t1 = s0;
      for (let k = shift; k < end; k += 16) {
        const v = v128.load(vector + k);
        const u = v128.load(x + k);
        const v0 = i32x4.shl(i32x4.extend_low_i16x8_u(v), 16);
        const v1 = i32x4.shl(i32x4.extend_high_i16x8_u(v), 16);
        const u0 = i32x4.shl(i32x4.extend_low_i16x8_u(u), 16);
        const u1 = i32x4.shl(i32x4.extend_high_i16x8_u(u), 16);
        const w0 = f64x2.promote_low_f32x4(v0);
        const w1 = promoteHigh(v0);
        const w2 = f64x2.promote_low_f32x4(v1);
        const w3 = promoteHigh(v1);
        const z = y + (k << 2);
        s0 = f64x2.add(s0, f64x2.mul(w0, f64x2.promote_low_f32x4(u0)));
        s1 = f64x2.add(s1, f64x2.mul(w1, promoteHigh(u0)));
        s0 = f64x2.add(s0, f64x2.mul(w2, f64x2.promote_low_f32x4(u1)));
        s1 = f64x2.add(s1, f64x2.mul(w3, promoteHigh(u1)));
        t0 = f64x2.add(t0, f64x2.mul(w0, v128.load(z)));
        t1 = f64x2.add(t1, f64x2.mul(w1, v128.load(z, 16)));
        t0 = f64x2.add(t0, f64x2.mul(w2, v128.load(z, 32)));
        t1 = f64x2.add(t1, f64x2.mul(w3, v128.load(z, 48)));
      }
      const sum = sums + ((<usize>i) << 4);
      store<f64>(sum, load<f64>(sum) + sumOf<f64>(f64x2.add(s0, s1)));
      store<f64>(sum, load<f64>(sum, 8) + sumOf<f64>(f64x2.add(t0, t1)), 8);
    }
  }
}

/** out = a out + the sum of vectors of bfloat16 by their factors; their addresses are those in the table plus `at`. */
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
    const shift = (<usize>from) << 1;
    const end = shift + ((<usize>min<i32>(atOnce, count - from)) << 1);
    for (let k = shift << 2; k < end << 2; k += 16) {
      v128.store(out + k, f64x2.mul(scale, v128.load(out + k)));
    }
    for (let i = 0; i < many; i += 1) {
      const vector = <usize>load<u32>(table + ((<usize>i) << 2)) + at;
      const factor = f64x2.splat(load<f64>(factors + ((<usize>i) << 3)));
      for (let k = shift; k < end; k += 16) {
        const to = out + (k << 2);
        const v = v128.load(vector + k);
        const v0 = i32x4.shl(i32x4.extend_low_i16x8_u(v), 16);
        const v1 = i32x4.shl(i32x4.extend_high_i16x8_u(v), 16);
        addScaled(to, 0, factor, f64x2.promote_low_f32x4(v0));
        addScaled(to, 16, factor, promoteHigh(v0));
        addScaled(to, 32, factor, f64x2.promote_low_f32x4(v1));
        addScaled(to, 48, factor, promoteHigh(v1));
      }
    }
  }
}

/** Adds factor v to two numbers of float64. */
// @ts-expect-error: decorator
@inline
function addScaled(to: usize, at: usize, factor: v128, v: v128): void {
  v128.store(to + at, f64x2.add(v128.load(to + at), f64x2.mul(factor, v)));
}
