// Scores and updates of weights stored for single pairs, each in both precisions.

import { accumulateStatePairs, scoreStatePairs } from '../state-pairs';

export function scoreStatePairs_f32(
  scores: usize,
  weights: usize,
  pairStarts: usize,
  pairLabels: usize,
  starts: usize,
  rows: usize,
  values: usize,
  tokens: i32,
  width: i32,
  scale: f32,
): void {
  scoreStatePairs<f32>(scores, weights, pairStarts, pairLabels, starts, rows, values, tokens, width, scale);
}

export function scoreStatePairs_f64(
  scores: usize,
  weights: usize,
  pairStarts: usize,
  pairLabels: usize,
  starts: usize,
  rows: usize,
  values: usize,
  tokens: i32,
  width: i32,
  scale: f64,
): void {
  scoreStatePairs<f64>(scores, weights, pairStarts, pairLabels, starts, rows, values, tokens, width, scale);
}

export function accumulateStatePairs_f32(
  table: usize,
  residual: usize,
  pairStarts: usize,
  pairLabels: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: f32,
): void {
  accumulateStatePairs<f32>(table, residual, pairStarts, pairLabels, starts, rows, values, first, end, width, factor);
}

export function accumulateStatePairs_f64(
  table: usize,
  residual: usize,
  pairStarts: usize,
  pairLabels: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: f64,
): void {
  accumulateStatePairs<f64>(table, residual, pairStarts, pairLabels, starts, rows, values, first, end, width, factor);
}
