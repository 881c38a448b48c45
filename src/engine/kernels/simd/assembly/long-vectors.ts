// Vectors of float64 with one number per parameter; lengths are multiples of 8.

import { sumOf } from './vectors';

/** Computes out = a x + b y; returns the sum of out z. `out` may be x, y or z. */
export function combineThenDot(
  out: usize,
  a: f64,
  x: usize,
  b: f64,
  y: usize,
  z: usize,
  count: i32,
): f64 {
  const p = f64x2.splat(a);
  const q = f64x2.splat(b);
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  for (let left = count; left > 0; left -= 8) {
    const u0 = f64x2.add(f64x2.mul(p, v128.load(x)), f64x2.mul(q, v128.load(y)));
    const u1 = f64x2.add(f64x2.mul(p, v128.load(x, 16)), f64x2.mul(q, v128.load(y, 16)));
    const u2 = f64x2.add(f64x2.mul(p, v128.load(x, 32)), f64x2.mul(q, v128.load(y, 32)));
    const u3 = f64x2.add(f64x2.mul(p, v128.load(x, 48)), f64x2.mul(q, v128.load(y, 48)));
    v128.store(out, u0);
    v128.store(out, u1, 16);
    v128.store(out, u2, 32);
    v128.store(out, u3, 48);
    s0 = f64x2.add(s0, f64x2.mul(u0, v128.load(z)));
    s1 = f64x2.add(s1, f64x2.mul(u1, v128.load(z, 16)));
    s2 = f64x2.add(s2, f64x2.mul(u2, v128.load(z, 32)));
    s3 = f64x2.add(s3, f64x2.mul(u3, v128.load(z, 48)));
    out += 64;
    x += 64;
    y += 64;
    z += 64;
  }
  return sumOf<f64>(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
}

/** Returns the sum of x y. */
export function dotVectors(x: usize, y: usize, count: i32): f64 {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  for (let left = count; left > 0; left -= 8) {
    s0 = f64x2.add(s0, f64x2.mul(v128.load(x), v128.load(y)));
    s1 = f64x2.add(s1, f64x2.mul(v128.load(x, 16), v128.load(y, 16)));
    s2 = f64x2.add(s2, f64x2.mul(v128.load(x, 32), v128.load(y, 32)));
    s3 = f64x2.add(s3, f64x2.mul(v128.load(x, 48), v128.load(y, 48)));
    x += 64;
    y += 64;
  }
  return sumOf<f64>(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
}

/** Computes out = x y elementwise; returns the sum of out z. `out` may be x, y or z. */
export function multiplyThenDot(out: usize, x: usize, y: usize, z: usize, count: i32): f64 {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  for (let left = count; left > 0; left -= 4) {
    const u0 = f64x2.mul(v128.load(x), v128.load(y));
    const u1 = f64x2.mul(v128.load(x, 16), v128.load(y, 16));
    v128.store(out, u0);
    v128.store(out, u1, 16);
    s0 = f64x2.add(s0, f64x2.mul(u0, v128.load(z)));
    s1 = f64x2.add(s1, f64x2.mul(u1, v128.load(z, 16)));
    out += 32;
    x += 32;
    y += 32;
    z += 32;
  }
  return sumOf<f64>(f64x2.add(s0, s1));
}

/** Returns the number of nonzero entries. */
export function countActive(x: usize, count: i32): f64 {
  const zero = f64x2.splat(0);
  let active = 0;
  for (let left = count; left > 0; left -= 8) {
    active += popcnt<i32>(i64x2.bitmask(f64x2.ne(v128.load(x), zero)));
    active += popcnt<i32>(i64x2.bitmask(f64x2.ne(v128.load(x, 16), zero)));
    active += popcnt<i32>(i64x2.bitmask(f64x2.ne(v128.load(x, 32), zero)));
    active += popcnt<i32>(i64x2.bitmask(f64x2.ne(v128.load(x, 48), zero)));
    x += 64;
  }
  return <f64>active;
}

/** Sets a vector to 0. */
export function clearVector(out: usize, count: i32): void {
  memory.fill(out, 0, (<usize>count) << 3);
}

/** Computes out[places[k]] += values[k] for k in [from, to). */
export function addAtPlaces(out: usize, places: usize, values: usize, from: i32, to: i32): void {
  let place = places + ((<usize>from) << 2);
  let value = values + ((<usize>from) << 3);
  for (let left = to - from; left > 0; left -= 1) {
    const at = out + ((<usize>load<u32>(place)) << 3);
    store<f64>(at, load<f64>(at) + load<f64>(value));
    place += 4;
    value += 8;
  }
}
