// Vectors of bfloat16 with one value per parameter, in addition to float64 vectors; lengths are multiples of 8. A
// bfloat16 is the upper half of a float32, with its range and eight significant bits.

import { sumOf } from './vectors';

/** Number of elements processed at a time: they stay in the L1 cache while many vectors are streamed past. */
const atOnce: i32 = 1024;

/** Returns four float32 numbers rounded to bfloat16, to nearest, ties to even; the lower half of each is zero. */
// @ts-expect-error: decorator
@inline
function rounded(v: v128): v128 {
  const odd = v128.and(i32x4.shr_u(v, 16), i32x4.splat(1));
  const sum = i32x4.add(v, i32x4.add(odd, i32x4.splat(0x7fff)));
  return v128.and(sum, i32x4.splat(0xffff0000));
}

/** Returns two float64 numbers as float32, in the lower half. */
// @ts-expect-error: decorator
@inline
function difference(x: usize, y: usize, at: usize): v128 {
  return f32x4.demote_f64x2_zero(f64x2.sub(v128.load(x + at), v128.load(y + at)));
}

/** Returns four bfloat16 numbers as float32. */
// @ts-expect-error: decorator
@inline
function widened(at: usize): v128 {
  return i32x4.shl(v128.load16x4_u(at), 16);
}

/** Returns the upper two float32 lanes as float64. */
// @ts-expect-error: decorator
@inline
function promoteHigh(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1));
}

/** Computes out = x - y in bfloat16; returns the sum of its squares after rounding. */
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
 * Adds the inner products of several bfloat16 vectors with `x` (bfloat16) and with `y` (float64) to two sums each.
 * The vectors' addresses are those in the table plus `at`.
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
    let i = 0;
    // Two at a time, so that x and y are read once for both.
    for (; i + 2 <= many; i += 2) {
      const place = table + ((<usize>i) << 2);
      const a0 = <usize>load<u32>(place) + at;
      const a1 = <usize>load<u32>(place, 4) + at;
      let p0 = f64x2.splat(0), p1 = p0, q0 = p0, q1 = p0;
      let r0 = p0, r1 = p0, t0 = p0, t1 = p0;
      for (let k = shift; k < end; k += 8) {
        const v0 = widened(a0 + k);
        const v1 = widened(a1 + k);
        const u = widened(x + k);
        const z = y + (k << 2);
        const low0 = f64x2.promote_low_f32x4(v0);
        const high0 = promoteHigh(v0);
        const low1 = f64x2.promote_low_f32x4(v1);
        const high1 = promoteHigh(v1);
        const uLow = f64x2.promote_low_f32x4(u);
        const uHigh = promoteHigh(u);
        p0 = f64x2.add(p0, f64x2.mul(low0, uLow));
        p1 = f64x2.add(p1, f64x2.mul(high0, uHigh));
        r0 = f64x2.add(r0, f64x2.mul(low1, uLow));
        r1 = f64x2.add(r1, f64x2.mul(high1, uHigh));
        const zLow = v128.load(z);
        const zHigh = v128.load(z, 16);
        q0 = f64x2.add(q0, f64x2.mul(low0, zLow));
        q1 = f64x2.add(q1, f64x2.mul(high0, zHigh));
        t0 = f64x2.add(t0, f64x2.mul(low1, zLow));
        t1 = f64x2.add(t1, f64x2.mul(high1, zHigh));
      }
      const sum = sums + ((<usize>i) << 4);
      store<f64>(sum, load<f64>(sum) + sumOf<f64>(f64x2.add(p0, p1)));
      store<f64>(sum, load<f64>(sum, 8) + sumOf<f64>(f64x2.add(q0, q1)), 8);
      store<f64>(sum, load<f64>(sum, 16) + sumOf<f64>(f64x2.add(r0, r1)), 16);
      store<f64>(sum, load<f64>(sum, 24) + sumOf<f64>(f64x2.add(t0, t1)), 24);
    }
    for (; i < many; i += 1) {
      const vector = <usize>load<u32>(table + ((<usize>i) << 2)) + at;
      let p0 = f64x2.splat(0), p1 = p0, q0 = p0, q1 = p0;
      for (let k = shift; k < end; k += 8) {
        const v = widened(vector + k);
        const u = widened(x + k);
        const z = y + (k << 2);
        const low = f64x2.promote_low_f32x4(v);
        const high = promoteHigh(v);
        p0 = f64x2.add(p0, f64x2.mul(low, f64x2.promote_low_f32x4(u)));
        p1 = f64x2.add(p1, f64x2.mul(high, promoteHigh(u)));
        q0 = f64x2.add(q0, f64x2.mul(low, v128.load(z)));
        q1 = f64x2.add(q1, f64x2.mul(high, v128.load(z, 16)));
      }
      const sum = sums + ((<usize>i) << 4);
      store<f64>(sum, load<f64>(sum) + sumOf<f64>(f64x2.add(p0, p1)));
      store<f64>(sum, load<f64>(sum, 8) + sumOf<f64>(f64x2.add(q0, q1)), 8);
    }
  }
}

/**
 * Computes out = a out + the sum of bfloat16 vectors times their factors; the vectors' addresses are those in the
 * table plus `at`.
 */
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
    let i = 0;
    // Four at a time, so that the sums are read and written once for all four.
    for (; i + 4 <= many; i += 4) {
      const place = table + ((<usize>i) << 2);
      const a0 = <usize>load<u32>(place) + at;
      const a1 = <usize>load<u32>(place, 4) + at;
      const a2 = <usize>load<u32>(place, 8) + at;
      const a3 = <usize>load<u32>(place, 12) + at;
      const by = factors + ((<usize>i) << 3);
      const f0 = v128.load64_splat(by);
      const f1 = v128.load64_splat(by, 8);
      const f2 = v128.load64_splat(by, 16);
      const f3 = v128.load64_splat(by, 24);
      for (let k = shift; k < end; k += 8) {
        const to = out + (k << 2);
        const v0 = widened(a0 + k);
        const v1 = widened(a1 + k);
        const v2 = widened(a2 + k);
        const v3 = widened(a3 + k);
        let low = v128.load(to);
        let high = v128.load(to, 16);
        low = f64x2.add(low, f64x2.mul(f0, f64x2.promote_low_f32x4(v0)));
        high = f64x2.add(high, f64x2.mul(f0, promoteHigh(v0)));
        low = f64x2.add(low, f64x2.mul(f1, f64x2.promote_low_f32x4(v1)));
        high = f64x2.add(high, f64x2.mul(f1, promoteHigh(v1)));
        low = f64x2.add(low, f64x2.mul(f2, f64x2.promote_low_f32x4(v2)));
        high = f64x2.add(high, f64x2.mul(f2, promoteHigh(v2)));
        low = f64x2.add(low, f64x2.mul(f3, f64x2.promote_low_f32x4(v3)));
        high = f64x2.add(high, f64x2.mul(f3, promoteHigh(v3)));
        v128.store(to, low);
        v128.store(to, high, 16);
      }
    }
    for (; i < many; i += 1) {
      const vector = <usize>load<u32>(table + ((<usize>i) << 2)) + at;
      const factor = v128.load64_splat(factors + ((<usize>i) << 3));
      for (let k = shift; k < end; k += 8) {
        const to = out + (k << 2);
        const v = widened(vector + k);
        v128.store(to, f64x2.add(v128.load(to), f64x2.mul(factor, f64x2.promote_low_f32x4(v))));
        v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(factor, promoteHigh(v))), 16);
      }
    }
  }
}
