// Recursions over scored spans, by the precision of the lattice.

import { backwardSegments } from '../segments/backward';
import { bestSegments } from '../segments/best';
import { exponentiateSegments } from '../segments/exponentials';
import { forwardSegments } from '../segments/forward';
import { Frame } from '../segments/frame';

export function exponentiateSegments_f32(f: usize, first: i32, length: i32, furthest: f64): f64 {
  return exponentiateSegments<f32>(changetype<Frame>(f), first, length, furthest);
}
export function exponentiateSegments_f64(f: usize, first: i32, length: i32, furthest: f64): f64 {
  return exponentiateSegments<f64>(changetype<Frame>(f), first, length, furthest);
}
export function forwardSegments_f32(f: usize, length: i32, leastValue: f64, furthest: f64): f64 {
  return forwardSegments<f32>(changetype<Frame>(f), length, leastValue, furthest);
}
export function forwardSegments_f64(f: usize, length: i32, leastValue: f64, furthest: f64): f64 {
  return forwardSegments<f64>(changetype<Frame>(f), length, leastValue, furthest);
}
export function backwardSegments_f32(
  f: usize,
  first: i32,
  length: i32,
  leastValue: f64,
  furthest: f64,
): bool {
  return backwardSegments<f32>(changetype<Frame>(f), first, length, leastValue, furthest);
}
export function backwardSegments_f64(
  f: usize,
  first: i32,
  length: i32,
  leastValue: f64,
  furthest: f64,
): bool {
  return backwardSegments<f64>(changetype<Frame>(f), first, length, leastValue, furthest);
}
export function bestSegments_f32(f: usize, first: i32, length: i32): f64 {
  return bestSegments<f32>(changetype<Frame>(f), first, length);
}
export function bestSegments_f64(f: usize, first: i32, length: i32): f64 {
  return bestSegments<f64>(changetype<Frame>(f), first, length);
}
