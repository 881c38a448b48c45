// Vectors of numbers, each in both precisions.

import { scaleNumbers } from '../accumulate';
import { addScaled, copyScaled } from '../score';
import { dot, largestMagnitude, sumOfMagnitudes } from '../vector-operations';

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
export function scaleNumbers_f32(table: usize, count: i32, factor: f32): void {
  scaleNumbers<f32>(table, count, factor);
}
export function scaleNumbers_f64(table: usize, count: i32, factor: f64): void {
  scaleNumbers<f64>(table, count, factor);
}
export function dot_f32(x: usize, y: usize, count: i32): f64 {
  return dot<f32>(x, y, count);
}
export function dot_f64(x: usize, y: usize, count: i32): f64 {
  return dot<f64>(x, y, count);
}
export function sumOfMagnitudes_f32(x: usize, count: i32): f64 {
  return sumOfMagnitudes<f32>(x, count);
}
export function sumOfMagnitudes_f64(x: usize, count: i32): f64 {
  return sumOfMagnitudes<f64>(x, count);
}
export function largestMagnitude_f32(x: usize, count: i32): f64 {
  return largestMagnitude<f32>(x, count);
}
export function largestMagnitude_f64(x: usize, count: i32): f64 {
  return largestMagnitude<f64>(x, count);
}
