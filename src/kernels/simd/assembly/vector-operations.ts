import { maxOf, sumOf } from './vectors';

/** Sum of x y in float64, over `count` numbers rounded up to whole vectors. */
export function dot<T>(x: usize, y: usize, count: i32): f64 {
  const end = <usize>(<u32>count) * sizeof<T>();
  let a = f64x2.splat(0);
  let b = a;
  for (let at: usize = 0; at < end; at += 16) {
    const u = v128.load(x + at);
    const v = v128.load(y + at);
    if (sizeof<T>() == 4) {
      a = f64x2.add(a, f64x2.mul(lower(u), lower(v)));
      b = f64x2.add(b, f64x2.mul(upper(u), upper(v)));
    } else {
      a = f64x2.add(a, f64x2.mul(u, v));
    }
  }
  return sumOf<f64>(f64x2.add(a, b));
}

/** Sum of |x| in float64. */
export function sumOfMagnitudes<T>(x: usize, count: i32): f64 {
  const end = <usize>(<u32>count) * sizeof<T>();
  let a = f64x2.splat(0);
  let b = a;
  for (let at: usize = 0; at < end; at += 16) {
    const u = v128.abs<T>(v128.load(x + at));
    if (sizeof<T>() == 4) {
      a = f64x2.add(a, lower(u));
      b = f64x2.add(b, upper(u));
    } else {
      a = f64x2.add(a, u);
    }
  }
  return sumOf<f64>(f64x2.add(a, b));
}

/** Largest |x|; 0 without any. */
export function largestMagnitude<T>(x: usize, count: i32): f64 {
  const end = <usize>(<u32>count) * sizeof<T>();
  let most = f64x2.splat(0);
  for (let at: usize = 0; at < end; at += 16) {
    const u = v128.abs<T>(v128.load(x + at));
    most = sizeof<T>() == 4 ? f64x2.max(most, f64x2.max(lower(u), upper(u))) : f64x2.max(most, u);
  }
  return maxOf<f64>(most);
}

// @ts-expect-error: decorator
@inline
function lower(v: v128): v128 {
  return f64x2.promote_low_f32x4(v);
}

// @ts-expect-error: decorator
@inline
function upper(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i32>(v, v, 2, 3, 2, 3));
}
