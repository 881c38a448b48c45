/** Returns exp of each lane: exactly 0 below the smallest normal number; NaN stays NaN. */
// @ts-expect-error: decorator
@inline
export function exp<T>(x: v128): v128 {
  return sizeof<T>() == 4 ? expF32(x) : expF64(x);
}

/**
 * Computes exp(x) = 2^n exp(r) with n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) = 1 + r + r^2 q(r), with q
 * fitted at Chebyshev nodes: a polynomial of degree 6 with a relative error below 1.1e-8.
 *
 * Adding and subtracting a number too large to have a fraction rounds x / ln 2; the low bits of the sum are
 * then n, and are added to the exponent of exp(r).
 */
// @ts-expect-error: decorator
@inline
function expF32(x: v128): v128 {
  const large = f32x4.splat(12582912.0);
  const shifted = f32x4.add(f32x4.mul(x, f32x4.splat(1.44269504088896341)), large);
  const n = f32x4.sub(shifted, large);
  // ln 2 in two parts, the first with few bits, so that its product with n is exact.
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(n, f32x4.splat(2.12194440054690583e-4)));
  let q = f32x4.splat(0.0013926183587713494);
  q = f32x4.add(f32x4.mul(q, r), f32x4.splat(0.008363179052722578));
  q = f32x4.add(f32x4.mul(q, r), f32x4.splat(0.041666554617204574));
  q = f32x4.add(f32x4.mul(q, r), f32x4.splat(0.16666576989698775));
  q = f32x4.add(f32x4.mul(q, r), f32x4.splat(0.5));
  q = f32x4.add(f32x4.mul(f32x4.mul(q, r), r), f32x4.add(r, f32x4.splat(1.0)));
  const value = i32x4.add(q, i32x4.shl(shifted, 23));
  return v128.andnot(value, f32x4.le(x, f32x4.splat(-87.3)));
}

/** Computes exp likewise in double precision: degree 11, relative error below 2e-17. */
// @ts-expect-error: decorator
@inline
function expF64(x: v128): v128 {
  const large = f64x2.splat(6755399441055744.0);
  const shifted = f64x2.add(f64x2.mul(x, f64x2.splat(1.44269504088896340736)), large);
  const n = f64x2.sub(shifted, large);
  let r = f64x2.sub(x, f64x2.mul(n, f64x2.splat(0.693145751953125)));
  r = f64x2.sub(r, f64x2.mul(n, f64x2.splat(1.42860682030941723212e-6)));
  let q = f64x2.splat(2.510038549551032e-8);
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(2.7620088445409746e-7));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(2.7557268459997064e-6));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(2.4801521295954376e-5));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(1.9841269863053618e-4));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(0.0013888888917213717));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(0.008333333333330062));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(0.04166666666662413));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(0.16666666666666669));
  q = f64x2.add(f64x2.mul(q, r), f64x2.splat(0.5000000000000001));
  q = f64x2.add(f64x2.mul(f64x2.mul(q, r), r), f64x2.add(r, f64x2.splat(1.0)));
  const value = i64x2.add(q, i64x2.shl(shifted, 52));
  return v128.andnot(value, f64x2.le(x, f64x2.splat(-708.0)));
}
