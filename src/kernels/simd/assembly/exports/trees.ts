// Sums of leaves, by the precision of their rows.

import { addLeafRows } from '../trees';

export function addLeafRows_f32(
  sums: usize,
  base: usize,
  leaves: usize,
  count: i32,
  rows: usize,
  width: i32,
): void {
  addLeafRows<f32>(sums, base, leaves, count, rows, width);
}
export function addLeafRows_f64(
  sums: usize,
  base: usize,
  leaves: usize,
  count: i32,
  rows: usize,
  width: i32,
): void {
  addLeafRows<f64>(sums, base, leaves, count, rows, width);
}
