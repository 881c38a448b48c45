/** exp of each lane; exactly 0 below the smallest normal number. */
// @ts-expect-error: decorator
@inline
export function exp<T>(x: v128): v128 {
  return sizeof<T>() == 4 ? expF32(x) : expF64(x);
}

/**
 * exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) by the Taylor polynomial of degree 7,
 * whose error there is below 6e-9 of the value.
 */
function expF32(x: v128): v128 {
  const least = f32x4.splat(-87.3);
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504088896341)));
  // ln 2 in two parts, the first with few bits, so that n times it is exact.
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(n, f32x4.splat(2.12194440054690583e-4)));
  let p = f32x4.splat(1.0 / 5040.0);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 720.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 120.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 24.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 6.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.5));
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), f32x4.add(r, f32x4.splat(1.0)));
  const exponent = i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127));
  const power = i32x4.shl(exponent, 23);
  return v128.and(f32x4.mul(p, power), f32x4.gt(x, least));
}

/** The same in double precision: degree 13, error below 5e-18 of the value. */
function expF64(x: v128): v128 {
  const least = f64x2.splat(-708.0);
  const n = f64x2.nearest(f64x2.mul(x, f64x2.splat(1.44269504088896340736)));
  let r = f64x2.sub(x, f64x2.mul(n, f64x2.splat(0.693145751953125)));
  r = f64x2.sub(r, f64x2.mul(n, f64x2.splat(1.42860682030941723212e-6)));
  let p = f64x2.splat(1.0 / 6227020800.0);
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 479001600.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 39916800.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 3628800.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 362880.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 40320.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 5040.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 720.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 120.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 24.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 6.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(0.5));
  p = f64x2.add(f64x2.mul(f64x2.mul(p, r), r), f64x2.add(r, f64x2.splat(1.0)));
  const whole = i64x2.extend_low_i32x4_s(i32x4.trunc_sat_f64x2_s_zero(n));
  const power = i64x2.shl(i64x2.add(whole, i64x2.splat(1023)), 52);
  return v128.and(f64x2.mul(p, power), f64x2.gt(x, least));
}
