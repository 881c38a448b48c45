// Recursions over pairs listed token by token, each in both precisions.

import { backwardListed, exponentiateListed, forwardListed } from '../inference/forward-backward-listed';
import { addChain, listChain } from '../inference/chains';
import { viterbiListed } from '../inference/viterbi-listed';

export function listChain_f32(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  weights: usize,
  value: f64,
  n: i32,
  start: i32,
  pairs: usize,
  scores: usize,
  marks: usize,
  epoch: i32,
  width: i32,
): i32 {
  return listChain<f32>(from, to, packedPairs, packedSlots, weights, value, n, start, pairs, scores, marks, epoch, width);
}

export function listChain_f64(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  weights: usize,
  value: f64,
  n: i32,
  start: i32,
  pairs: usize,
  scores: usize,
  marks: usize,
  epoch: i32,
  width: i32,
): i32 {
  return listChain<f64>(from, to, packedPairs, packedSlots, weights, value, n, start, pairs, scores, marks, epoch, width);
}

export function exponentiateListed_f32(
  first: i32,
  end: i32,
  starts: usize,
  scores: usize,
  exps: usize,
  maxima: usize,
  bases: usize,
): void {
  exponentiateListed<f32>(first, end, starts, scores, exps, maxima, bases);
}

export function exponentiateListed_f64(
  first: i32,
  end: i32,
  starts: usize,
  scores: usize,
  exps: usize,
  maxima: usize,
  bases: usize,
): void {
  exponentiateListed<f64>(first, end, starts, scores, exps, maxima, bases);
}

export function forwardListed_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  starts: usize,
  allPairs: usize,
  allExps: usize,
  maxima: usize,
  bases: usize,
  work: usize,
  leastValue: f32,
  leastScale: f32,
): f64 {
  return forwardListed<f32>(first, end, labels, width, alpha, emissions, emissionMaxima, scales, starts, allPairs, allExps, maxima, bases, work, leastValue, leastScale);
}

export function forwardListed_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  starts: usize,
  allPairs: usize,
  allExps: usize,
  maxima: usize,
  bases: usize,
  work: usize,
  leastValue: f64,
  leastScale: f64,
): f64 {
  return forwardListed<f64>(first, end, labels, width, alpha, emissions, emissionMaxima, scales, starts, allPairs, allExps, maxima, bases, work, leastValue, leastScale);
}

export function backwardListed_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  starts: usize,
  allPairs: usize,
  allExps: usize,
  bases: usize,
  work: usize,
  slots: usize,
  edges: usize,
  sums: usize,
  plain: i32,
  matrixSize: i32,
  leastValue: f32,
): bool {
  return backwardListed<f32>(first, end, labels, width, alpha, beta, nodes, emissions, scales, starts, allPairs, allExps, bases, work, slots, edges, sums, plain, matrixSize, leastValue);
}

export function backwardListed_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  starts: usize,
  allPairs: usize,
  allExps: usize,
  bases: usize,
  work: usize,
  slots: usize,
  edges: usize,
  sums: usize,
  plain: i32,
  matrixSize: i32,
  leastValue: f64,
): bool {
  return backwardListed<f64>(first, end, labels, width, alpha, beta, nodes, emissions, scales, starts, allPairs, allExps, bases, work, slots, edges, sums, plain, matrixSize, leastValue);
}

export function viterbiListed_f32(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  starts: usize,
  allPairs: usize,
  allScores: usize,
  work: usize,
  delta: usize,
  best: usize,
): f32 {
  return viterbiListed<f32>(first, end, labels, width, scores, starts, allPairs, allScores, work, delta, best);
}

export function viterbiListed_f64(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  starts: usize,
  allPairs: usize,
  allScores: usize,
  work: usize,
  delta: usize,
  best: usize,
): f64 {
  return viterbiListed<f64>(first, end, labels, width, scores, starts, allPairs, allScores, work, delta, best);
}

export function addChain_f32(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  numbers: usize,
  matrix: usize,
  width: i32,
  step: f64,
): void {
  addChain<f32, f32>(from, to, packedPairs, packedSlots, numbers, matrix, width, step);
}

export function addChain_f64(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  numbers: usize,
  matrix: usize,
  width: i32,
  step: f64,
): void {
  addChain<f64, f64>(from, to, packedPairs, packedSlots, numbers, matrix, width, step);
}

export function addChainInFloat64(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  numbers: usize,
  matrix: usize,
  width: i32,
  step: f64,
): void {
  addChain<f32, f64>(from, to, packedPairs, packedSlots, numbers, matrix, width, step);
}
