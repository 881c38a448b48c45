// The exports: numeric functions in both precisions, and those for features.

import { accumulateRows, scaleNumbers } from './accumulate';
import { exponentiateMatrix, exponentiateRows } from './exponentiate';
export { combine } from './features/combine';
export { findRows, hashRows, internRows, rehash } from './features/rows';

import { backward, forward } from './forward-backward';
import { forwardBackwardLog } from './forward-backward-log';
import { penaliseNumbers, penaliseRows } from './penalty';
import { addScaled, copyScaled, scoreEmissions } from './score';
import { dot, largestMagnitude, sumOfMagnitudes } from './vector-operations';
import { viterbi } from './viterbi';

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
export function copyScaled_f32(out: usize, source: usize, count: i32, scale: f32): void {
  copyScaled<f32>(out, source, count, scale);
}
export function copyScaled_f64(out: usize, source: usize, count: i32, scale: f64): void {
  copyScaled<f64>(out, source, count, scale);
}
export function addScaled_f32(out: usize, source: usize, count: i32, factor: f32): void {
  addScaled<f32>(out, source, count, factor);
}
export function addScaled_f64(out: usize, source: usize, count: i32, factor: f64): void {
  addScaled<f64>(out, source, count, factor);
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
export function forward_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  transitions: usize,
  transitionMaximum: f32,
  slots: usize,
  edges: usize,
  edgeMaxima: usize,
  matrixSize: i32,
  leastValue: f32,
  leastScale: f32,
): f64 {
  return forward<f32>(
    first,
    end,
    labels,
    width,
    alpha,
    emissions,
    emissionMaxima,
    scales,
    transitions,
    transitionMaximum,
    slots,
    edges,
    edgeMaxima,
    matrixSize,
    leastValue,
    leastScale,
  );
}
export function forward_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  transitions: usize,
  transitionMaximum: f64,
  slots: usize,
  edges: usize,
  edgeMaxima: usize,
  matrixSize: i32,
  leastValue: f64,
  leastScale: f64,
): f64 {
  return forward<f64>(
    first,
    end,
    labels,
    width,
    alpha,
    emissions,
    emissionMaxima,
    scales,
    transitions,
    transitionMaximum,
    slots,
    edges,
    edgeMaxima,
    matrixSize,
    leastValue,
    leastScale,
  );
}
export function backward_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  transitions: usize,
  slots: usize,
  expEdges: usize,
  edges: usize,
  sums: usize,
  matrixSize: i32,
  leastValue: f32,
): bool {
  return backward<f32>(
    first,
    end,
    labels,
    width,
    alpha,
    beta,
    nodes,
    emissions,
    scales,
    transitions,
    slots,
    expEdges,
    edges,
    sums,
    matrixSize,
    leastValue,
  );
}
export function backward_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  transitions: usize,
  slots: usize,
  expEdges: usize,
  edges: usize,
  sums: usize,
  matrixSize: i32,
  leastValue: f64,
): bool {
  return backward<f64>(
    first,
    end,
    labels,
    width,
    alpha,
    beta,
    nodes,
    emissions,
    scales,
    transitions,
    slots,
    expEdges,
    edges,
    sums,
    matrixSize,
    leastValue,
  );
}
export function viterbi_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  transitions: usize,
  slots: usize,
  edges: usize,
  matrixSize: i32,
  delta: usize,
  best: usize,
): f32 {
  return viterbi<f32>(
    first,
    end,
    labels,
    width,
    scores,
    transitions,
    slots,
    edges,
    matrixSize,
    delta,
    best,
  );
}
export function viterbi_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  transitions: usize,
  slots: usize,
  edges: usize,
  matrixSize: i32,
  delta: usize,
  best: usize,
): f64 {
  return viterbi<f64>(
    first,
    end,
    labels,
    width,
    scores,
    transitions,
    slots,
    edges,
    matrixSize,
    delta,
    best,
  );
}
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
): void {
  accumulateRows<f32>(table, residual, starts, rows, values, first, end, width, factor);
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
): void {
  accumulateRows<f64>(table, residual, starts, rows, values, first, end, width, factor);
}
export function scaleNumbers_f32(table: usize, count: i32, factor: f32): void {
  scaleNumbers<f32>(table, count, factor);
}
export function scaleNumbers_f64(table: usize, count: i32, factor: f64): void {
  scaleNumbers<f64>(table, count, factor);
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
export function forwardBackwardLog_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  transitions: usize,
  slots: usize,
  edgeScores: usize,
  matrixSize: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  edges: usize,
  sums: usize,
): f64 {
  return forwardBackwardLog<f32>(
    first,
    end,
    labels,
    width,
    scores,
    transitions,
    slots,
    edgeScores,
    matrixSize,
    alpha,
    beta,
    nodes,
    edges,
    sums,
  );
}
export function forwardBackwardLog_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  transitions: usize,
  slots: usize,
  edgeScores: usize,
  matrixSize: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  edges: usize,
  sums: usize,
): f64 {
  return forwardBackwardLog<f64>(
    first,
    end,
    labels,
    width,
    scores,
    transitions,
    slots,
    edgeScores,
    matrixSize,
    alpha,
    beta,
    nodes,
    edges,
    sums,
  );
}
export function dot_f32(x: usize, y: usize, count: i32): f64 {
  return dot<f32>(x, y, count);
}
export function sumOfMagnitudes_f32(x: usize, count: i32): f64 {
  return sumOfMagnitudes<f32>(x, count);
}
export function largestMagnitude_f32(x: usize, count: i32): f64 {
  return largestMagnitude<f32>(x, count);
}
export function dot_f64(x: usize, y: usize, count: i32): f64 {
  return dot<f64>(x, y, count);
}
export function sumOfMagnitudes_f64(x: usize, count: i32): f64 {
  return sumOfMagnitudes<f64>(x, count);
}
export function largestMagnitude_f64(x: usize, count: i32): f64 {
  return largestMagnitude<f64>(x, count);
}
