// Updates of the weights, each in both precisions.

import { accumulateRows } from '../accumulate';
import { penaliseAgedRow, penaliseAgedRows, penaliseNumbers, penaliseRows } from '../penalty';

export function accumulateRows_f32(
  table: usize,
  residual: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: f32,
  support: usize,
  words: i32,
): void {
  accumulateRows<f32>(
    table,
    residual,
    starts,
    rows,
    values,
    first,
    end,
    width,
    factor,
    support,
    words,
  );
}
export function accumulateRows_f64(
  table: usize,
  residual: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: f64,
  support: usize,
  words: i32,
): void {
  accumulateRows<f64>(
    table,
    residual,
    starts,
    rows,
    values,
    first,
    end,
    width,
    factor,
    support,
    words,
  );
}
export function penaliseRows_f32(
  weights: usize,
  received: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  total: f32,
): void {
  penaliseRows<f32>(weights, received, rows, from, to, width, total);
}
export function penaliseRows_f64(
  weights: usize,
  received: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  total: f64,
): void {
  penaliseRows<f64>(weights, received, rows, from, to, width, total);
}
export function penaliseNumbers_f32(weights: usize, received: usize, count: i32, total: f32): void {
  penaliseNumbers<f32>(weights, received, count, total);
}
export function penaliseNumbers_f64(weights: usize, received: usize, count: i32, total: f64): void {
  penaliseNumbers<f64>(weights, received, count, total);
}
export function penaliseAgedRows_f32(
  weights: usize,
  received: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  total: f64,
  creationTimes: usize,
  labelCreationTimes: usize,
): void {
  penaliseAgedRows<f32>(weights, received, rows, from, to, width, total, creationTimes, labelCreationTimes);
}
export function penaliseAgedRow_f32(
  weights: usize,
  received: usize,
  width: i32,
  total: f64,
  createdAt: f64,
  labelCreationTimes: usize,
): void {
  penaliseAgedRow<f32>(weights, received, width, total, createdAt, labelCreationTimes);
}
export function penaliseAgedRows_f64(
  weights: usize,
  received: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  total: f64,
  creationTimes: usize,
  labelCreationTimes: usize,
): void {
  penaliseAgedRows<f64>(weights, received, rows, from, to, width, total, creationTimes, labelCreationTimes);
}
export function penaliseAgedRow_f64(
  weights: usize,
  received: usize,
  width: i32,
  total: f64,
  createdAt: f64,
  labelCreationTimes: usize,
): void {
  penaliseAgedRow<f64>(weights, received, width, total, createdAt, labelCreationTimes);
}
