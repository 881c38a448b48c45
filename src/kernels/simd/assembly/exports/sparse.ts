// Forward-backward and Viterbi by lists of active transitions, each in both precisions.

import { listBytes, listMaxima, listSums } from '../inference/sparse-lists';
import { countFinite, countNonZeros, isDense, transpose } from '../inference/transition-matrix';
import { sumTransitions } from '../inference/forward-backward';
import { backwardSparse, forwardSparse } from '../inference/forward-backward-sparse';
import { sumBlocks } from '../inference/sum-blocks';
import { listIncoming, listNegatives, viterbiSparse } from '../inference/viterbi-sparse';

export function listSums_f32(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  maximum: f32,
  labels: i32,
  width: i32,
): i32 {
  return listSums<f32>(lists, room, scratch, matrix, maximum, labels, width);
}
export function listSums_f64(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  maximum: f64,
  labels: i32,
  width: i32,
): i32 {
  return listSums<f64>(lists, room, scratch, matrix, maximum, labels, width);
}
export function listMaxima_f32(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  labels: i32,
  width: i32,
): i32 {
  return listMaxima<f32>(lists, room, scratch, matrix, labels, width);
}
export function listMaxima_f64(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  labels: i32,
  width: i32,
): i32 {
  return listMaxima<f64>(lists, room, scratch, matrix, labels, width);
}
export function listBytes_f32(labels: i32, width: i32): usize {
  return listBytes(labels, width, sizeof<f32>());
}
export function listBytes_f64(labels: i32, width: i32): usize {
  return listBytes(labels, width, sizeof<f64>());
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
  transitionMaximum: f32,
  leastValue: f32,
  leastScale: f32,
  closedEnds: i32,
  sums: usize,
): f64 {
  return forwardSparse<f32>(first, end, labels, width, alpha, emissions, emissionMaxima, scales, lists, transposed, transitionMaximum, leastValue, leastScale, closedEnds, sums);
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
  transitionMaximum: f64,
  leastValue: f64,
  leastScale: f64,
  closedEnds: i32,
  sums: usize,
): f64 {
  return forwardSparse<f64>(first, end, labels, width, alpha, emissions, emissionMaxima, scales, lists, transposed, transitionMaximum, leastValue, leastScale, closedEnds, sums);
}
export function backwardSparse_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nextBeta: usize,
  nodes: usize,
  outgoing: usize,
  nextToken: usize,
  nextVector: usize,
  emissions: usize,
  scales: usize,
  lists: usize,
  transitions: usize,
  leastValue: f32,
): bool {
  return backwardSparse<f32>(first, end, labels, width, alpha, beta, nextBeta, nodes, outgoing, nextToken, nextVector, emissions, scales, lists, transitions, leastValue);
}
export function backwardSparse_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nextBeta: usize,
  nodes: usize,
  outgoing: usize,
  nextToken: usize,
  nextVector: usize,
  emissions: usize,
  scales: usize,
  lists: usize,
  transitions: usize,
  leastValue: f64,
): bool {
  return backwardSparse<f64>(first, end, labels, width, alpha, beta, nextBeta, nodes, outgoing, nextToken, nextVector, emissions, scales, lists, transitions, leastValue);
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
  incoming: usize,
  transposed: usize,
  delta: usize,
  best: usize,
): f32 {
  return viterbiSparse<f32>(first, end, labels, width, scores, lists, negatives, incoming, transposed, delta, best);
}
export function viterbiSparse_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  lists: usize,
  negatives: usize,
  incoming: usize,
  transposed: usize,
  delta: usize,
  best: usize,
): f64 {
  return viterbiSparse<f64>(first, end, labels, width, scores, lists, negatives, incoming, transposed, delta, best);
}
export function listNegatives_f32(
  negatives: usize,
  targets: usize,
  lists: usize,
  scores: usize,
  labels: i32,
  width: i32,
): void {
  listNegatives<f32>(negatives, targets, lists, scores, labels, width);
}
export function listNegatives_f64(
  negatives: usize,
  targets: usize,
  lists: usize,
  scores: usize,
  labels: i32,
  width: i32,
): void {
  listNegatives<f64>(negatives, targets, lists, scores, labels, width);
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
export function listIncoming_f32(
  incoming: usize,
  entries: usize,
  lists: usize,
  transposed: usize,
  labels: i32,
  width: i32,
): void {
  listIncoming<f32>(incoming, entries, lists, transposed, labels, width);
}
export function listIncoming_f64(
  incoming: usize,
  entries: usize,
  lists: usize,
  transposed: usize,
  labels: i32,
  width: i32,
): void {
  listIncoming<f64>(incoming, entries, lists, transposed, labels, width);
}
