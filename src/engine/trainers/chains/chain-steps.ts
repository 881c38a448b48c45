import type { ActivePairs, ClassPotentials } from './class-potentials.js';

/** Share of its starting value below which a sum has lost more than 14 of its 53 bits. */
const leastShare = 2 ** -14;

/**
 * Computes out[outAt + y] = sum over y' of x[at + y'] exp(a(y', y)) for the transitions of class `c`. Cost O(L
 * + active pairs) if there are few, else O(L^2).
 */
export function stepForward(
  potentials: ClassPotentials,
  c: number,
  x: Float64Array,
  at: number,
  out: Float64Array,
  outAt: number,
): void {
  const { labels } = potentials;
  const pairs = potentials.active[c];
  if (pairs !== undefined) {
    sumThenExcess(labels, pairs, x, at, pairs.from, out, outAt, pairs.to);
    return;
  }
  const edges = potentials.edges(c);
  out.fill(0, outAt, outAt + labels);
  let row = 0;
  for (let from = at; from < at + labels; from += 1, row += labels) {
    const mass = x[from]!;
    for (let y = 0; y < labels; y += 1) out[outAt + y]! += mass * edges[row + y]!;
  }
}

/** Computes out[outAt + y'] = sum over y of exp(a(y', y)) x[at + y], at the same cost. */
export function stepBackward(
  potentials: ClassPotentials,
  c: number,
  x: Float64Array,
  at: number,
  out: Float64Array,
  outAt: number,
): void {
  const { labels } = potentials;
  const pairs = potentials.active[c];
  if (pairs !== undefined) {
    sumThenExcess(labels, pairs, x, at, pairs.to, out, outAt, pairs.from);
    return;
  }
  const edges = potentials.edges(c);
  let row = 0;
  for (let from = outAt; from < outAt + labels; from += 1, row += labels) {
    let sum = 0;
    for (let y = 0; y < labels; y += 1) sum += edges[row + y]! * x[at + y]!;
    out[from] = sum;
  }
}

/**
 * Writes the sum of x to each label of `out`, plus the terms of active pairs, since exp(a) = 1 + (exp(a) - 1).
 */
function sumThenExcess(
  labels: number,
  pairs: ActivePairs,
  x: Float64Array,
  at: number,
  inLabels: Uint16Array,
  out: Float64Array,
  outAt: number,
  outLabels: Uint16Array,
): void {
  const { count, exps } = pairs;
  let sum = 0;
  for (let y = at; y < at + labels; y += 1) sum += x[y]!;
  out.fill(sum, outAt, outAt + labels);
  for (let k = 0; k < count; k += 1) {
    out[outAt + outLabels[k]!]! += x[at + inLabels[k]!]! * (exps[k]! - 1);
  }
  const least = sum * leastShare;
  for (let y = 0; y < labels; y += 1) {
    if (out[outAt + y]! >= least) continue;
    out[outAt + y] = fullSum(y, labels, pairs, x, at, inLabels, outLabels);
  }
}

/** Returns the sum for label `y` of `out`, without cancellation. */
function fullSum(
  y: number,
  labels: number,
  { count, exps }: ActivePairs,
  x: Float64Array,
  at: number,
  inLabels: Uint16Array,
  outLabels: Uint16Array,
): number {
  const rest = x.slice(at, at + labels);
  let sum = 0;
  for (let k = 0; k < count; k += 1) {
    if (outLabels[k] !== y) continue;
    sum += rest[inLabels[k]!]! * exps[k]!;
    rest[inLabels[k]!] = 0;
  }
  for (let i = 0; i < labels; i += 1) sum += rest[i]!;
  return sum;
}

/** Multiplies a vector elementwise by another. */
export function multiply(
  x: Float64Array,
  at: number,
  by: Float64Array,
  byAt: number,
  length: number,
): void {
  for (let y = 0; y < length; y += 1) x[at + y]! *= by[byAt + y]!;
}

/** Divides a vector by its sum, and returns the sum. */
export function normalise(x: Float64Array, at: number, length: number): number {
  let sum = 0;
  for (let y = at; y < at + length; y += 1) sum += x[y]!;
  const inverse = 1 / sum;
  for (let y = at; y < at + length; y += 1) x[y]! *= inverse;
  return sum;
}
