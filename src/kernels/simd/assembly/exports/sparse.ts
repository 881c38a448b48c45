// Forward-backward and Viterbi by lists of active transitions, each in both precisions.

import { countFinite, countNonZeros, listEntries, transpose, isDense } from '../sparse-lists';
import { sumTransitions } from '../forward-backward';
import { backwardSparse, finishNodes, forwardSparse, sumBlocks } from '../forward-backward-sparse';
import { listNegatives, markExplicit, viterbiSparse } from '../viterbi-sparse';

export function listEntries_f32(
  lists: usize,
  room: usize,
  scratch: usize,
  scores: usize,
  exps: usize,
  base: f32,
  floor: f32,
  labels: i32,
  columnBytes: usize,
  entryBytes: usize,
): i32 {
  return listEntries<f32>(lists, room, scratch, scores, exps, base, floor, labels, columnBytes, entryBytes);
}
export function listEntries_f64(
  lists: usize,
  room: usize,
  scratch: usize,
  scores: usize,
  exps: usize,
  base: f64,
  floor: f64,
  labels: i32,
  columnBytes: usize,
  entryBytes: usize,
): i32 {
  return listEntries<f64>(lists, room, scratch, scores, exps, base, floor, labels, columnBytes, entryBytes);
}
export function countNonZeros_f32(
  matrix: usize,
  labels: i32,
  width: i32,
): i32 {
  return countNonZeros<f32>(matrix, labels, width);
}
export function countNonZeros_f64(
  matrix: usize,
  labels: i32,
  width: i32,
): i32 {
  return countNonZeros<f64>(matrix, labels, width);
}
export function transpose_f32(
  out: usize,
  matrix: usize,
  labels: i32,
  width: i32,
  rest: f32,
): void {
  transpose<f32>(out, matrix, labels, width, rest);
}
export function transpose_f64(
  out: usize,
  matrix: usize,
  labels: i32,
  width: i32,
  rest: f64,
): void {
  transpose<f64>(out, matrix, labels, width, rest);
}
export function forwardSparse_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  lists: usize,
  transposed: usize,
  base: f32,
  transitionMaximum: f32,
  leastValue: f32,
  leastScale: f32,
  closedEnds: i32,
): f64 {
  return forwardSparse<f32>(first, end, labels, width, alpha, emissions, emissionMaxima, scales, lists, transposed, base, transitionMaximum, leastValue, leastScale, closedEnds);
}
export function forwardSparse_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  lists: usize,
  transposed: usize,
  base: f64,
  transitionMaximum: f64,
  leastValue: f64,
  leastScale: f64,
  closedEnds: i32,
): f64 {
  return forwardSparse<f64>(first, end, labels, width, alpha, emissions, emissionMaxima, scales, lists, transposed, base, transitionMaximum, leastValue, leastScale, closedEnds);
}
export function backwardSparse_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  lists: usize,
  transitions: usize,
  base: f32,
): void {
  backwardSparse<f32>(first, end, labels, width, beta, nodes, emissions, scales, lists, transitions, base);
}
export function backwardSparse_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  lists: usize,
  transitions: usize,
  base: f64,
): void {
  backwardSparse<f64>(first, end, labels, width, beta, nodes, emissions, scales, lists, transitions, base);
}
export function finishNodes_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  leastValue: f32,
): bool {
  return finishNodes<f32>(first, end, labels, width, alpha, beta, nodes, leastValue);
}
export function finishNodes_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  leastValue: f64,
): bool {
  return finishNodes<f64>(first, end, labels, width, alpha, beta, nodes, leastValue);
}
export function sumBlocks_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  blocks: usize,
  sums: usize,
): void {
  sumBlocks<f32>(first, end, labels, width, alpha, outgoing, transitions, blocks, sums);
}
export function sumBlocks_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  blocks: usize,
  sums: usize,
): void {
  sumBlocks<f64>(first, end, labels, width, alpha, outgoing, transitions, blocks, sums);
}
export function viterbiSparse_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  lists: usize,
  negatives: usize,
  transposed: usize,
  delta: usize,
  best: usize,
): f32 {
  return viterbiSparse<f32>(first, end, labels, width, scores, lists, negatives, transposed, delta, best);
}
export function viterbiSparse_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  lists: usize,
  negatives: usize,
  transposed: usize,
  delta: usize,
  best: usize,
): f64 {
  return viterbiSparse<f64>(first, end, labels, width, scores, lists, negatives, transposed, delta, best);
}
export function listNegatives_f32(
  negatives: usize,
  targets: usize,
  explicit: usize,
  scores: usize,
  labels: i32,
  width: i32,
): void {
  listNegatives<f32>(negatives, targets, explicit, scores, labels, width);
}
export function listNegatives_f64(
  negatives: usize,
  targets: usize,
  explicit: usize,
  scores: usize,
  labels: i32,
  width: i32,
): void {
  listNegatives<f64>(negatives, targets, explicit, scores, labels, width);
}
export function markExplicit_f32(
  explicit: usize,
  lists: usize,
): void {
  markExplicit<f32>(explicit, lists);
}
export function markExplicit_f64(
  explicit: usize,
  lists: usize,
): void {
  markExplicit<f64>(explicit, lists);
}
export function countFinite_f32(matrix: usize, labels: i32, width: i32): i32 {
  return countFinite<f32>(matrix, labels, width);
}
export function countFinite_f64(matrix: usize, labels: i32, width: i32): i32 {
  return countFinite<f64>(matrix, labels, width);
}
export function sumPairs_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  sums: usize,
): void {
  const rowBytes = <usize>width * sizeof<f32>();
  sumTransitions<f32>(first, end, labels, rowBytes, alpha, outgoing, transitions, 0, sums);
}
export function sumPairs_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  sums: usize,
): void {
  const rowBytes = <usize>width * sizeof<f64>();
  sumTransitions<f64>(first, end, labels, rowBytes, alpha, outgoing, transitions, 0, sums);
}
export function isDense_f32(matrix: usize, labels: i32, width: i32, limit: i32): bool {
  return isDense<f32>(matrix, labels, width, limit);
}
export function isDense_f64(matrix: usize, labels: i32, width: i32, limit: i32): bool {
  return isDense<f64>(matrix, labels, width, limit);
}
