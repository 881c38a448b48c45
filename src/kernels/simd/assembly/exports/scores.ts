// Scores and their exponentials, each in both precisions.

import { exponentiateMatrix, exponentiateRows } from '../exponentiate';
import { scoreEmissions } from '../score';

export function scoreEmissions_f32(
  scores: usize,
  weights: usize,
  starts: usize,
  rows: usize,
  values: usize,
  tokens: i32,
  width: i32,
  scale: f32,
): void {
  scoreEmissions<f32>(scores, weights, starts, rows, values, tokens, width, scale);
}
export function scoreEmissions_f64(
  scores: usize,
  weights: usize,
  starts: usize,
  rows: usize,
  values: usize,
  tokens: i32,
  width: i32,
  scale: f64,
): void {
  scoreEmissions<f64>(scores, weights, starts, rows, values, tokens, width, scale);
}
export function exponentiateRows_f32(
  scores: usize,
  exps: usize,
  maxima: usize,
  rows: i32,
  labels: i32,
  width: i32,
): void {
  exponentiateRows<f32>(scores, exps, maxima, rows, labels, width);
}
export function exponentiateRows_f64(
  scores: usize,
  exps: usize,
  maxima: usize,
  rows: i32,
  labels: i32,
  width: i32,
): void {
  exponentiateRows<f64>(scores, exps, maxima, rows, labels, width);
}
export function exponentiateMatrix_f32(scores: usize, exps: usize, labels: i32, width: i32): f32 {
  return exponentiateMatrix<f32>(scores, exps, labels, width);
}
export function exponentiateMatrix_f64(scores: usize, exps: usize, labels: i32, width: i32): f64 {
  return exponentiateMatrix<f64>(scores, exps, labels, width);
}
