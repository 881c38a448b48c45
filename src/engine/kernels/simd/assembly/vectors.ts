/** Returns the number of lanes in a vector. */
// @ts-expect-error: decorator
@inline
export function lanes<T>(): i32 {
  return 16 / sizeof<T>();
}

/** Returns the sum of a vector's lanes. */
// @ts-expect-error: decorator
@inline
export function sumOf<T>(v: v128): T {
  if (sizeof<T>() == 4) {
    const pairs = v128.add<f32>(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
    return <T>(f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1));
  }
  return <T>(f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1));
}

/** Returns the largest lane of a vector; NaN if any is NaN. */
// @ts-expect-error: decorator
@inline
export function maxOf<T>(v: v128): T {
  if (sizeof<T>() == 4) {
    const pairs = f32x4.max(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
    return <T>max<f32>(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
  }
  return <T>max<f64>(f64x2.extract_lane(v, 0), f64x2.extract_lane(v, 1));
}

/** Returns the smallest lane of a vector; NaN if any is NaN. */
// @ts-expect-error: decorator
@inline
export function minOf<T>(v: v128): T {
  if (sizeof<T>() == 4) {
    const pairs = f32x4.min(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
    return <T>min<f32>(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
  }
  return <T>min<f64>(f64x2.extract_lane(v, 0), f64x2.extract_lane(v, 1));
}

/** Returns all bits of the lanes below `labels`, for the vector that starts at lane `column`. */
// @ts-expect-error: decorator
@inline
export function laneMask<T>(column: i32, labels: i32): v128 {
  if (sizeof<T>() == 4) {
    const lane = i32x4.add(i32x4.splat(column), i32x4(0, 1, 2, 3));
    return i32x4.lt_s(lane, i32x4.splat(labels));
  }
  const lane = i64x2.add(i64x2.splat(<i64>column), i64x2(0, 1));
  return i64x2.lt_s(lane, i64x2.splat(<i64>labels));
}

/**
 * Returns a mask with all bits of the lanes whose bit is set; the lowest bit is the first lane's.
 */
// @ts-expect-error: decorator
@inline
export function laneBits<T>(bits: u32): v128 {
  if (sizeof<T>() == 4) {
    const lane = i32x4(1, 2, 4, 8);
    return i32x4.eq(v128.and(i32x4.splat(<i32>bits), lane), lane);
  }
  const lane = i64x2(1, 2);
  return i64x2.eq(v128.and(i64x2.splat(<i64>bits), lane), lane);
}

/** Returns one bit per lane of a mask whose lanes have all bits set or none. */
// @ts-expect-error: decorator
@inline
export function bitsOf<T>(mask: v128): i32 {
  return sizeof<T>() == 4 ? i32x4.bitmask(mask) : i64x2.bitmask(mask);
}

/** Returns two numbers of a table as float64. */
// @ts-expect-error: decorator
@inline
export function loadPair<T>(at: usize): v128 {
  if (sizeof<T>() == 4) return f64x2.promote_low_f32x4(v128.load64_zero(at));
  return v128.load(at);
}

/** Stores two float64 numbers in a table. */
// @ts-expect-error: decorator
@inline
export function storePair<T>(at: usize, value: v128): void {
  if (sizeof<T>() == 4) v128.store64_lane(at, f32x4.demote_f64x2_zero(value), 0);
  else v128.store(at, value);
}

/** Returns whether all bytes [from, from + bytes) are 0; `bytes` is a multiple of a vector. */
// @ts-expect-error: decorator
@inline
export function isZero(from: usize, bytes: usize): bool {
  let any = v128.load(from);
  for (let at: usize = 16; at < bytes; at += 16) any = v128.or(any, v128.load(from + at));
  return !v128.any_true(any);
}
