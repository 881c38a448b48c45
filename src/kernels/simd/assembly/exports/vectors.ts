// Vectors of numbers, each in both precisions.

import { scaleNumbers } from '../accumulate';
import { addScaled, copyScaled } from '../score';

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
