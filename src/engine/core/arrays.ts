/** Storage type of the numbers of parameters and inference. */
export type Precision = 'float64' | 'float32';

/** An array of parameters or intermediate values. */
export type Reals = Float64Array | Float32Array;

/** Typed arrays that can be copied into longer ones. */
type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/**
 * Copies an array to the start of a longer one, and returns the longer one.
 *
 * @example
 * grown([1, 2], new Uint8Array(3)) // => Uint8Array.of(1, 2, 0)
 */
export function grown<Longer extends Numbers>(old: ArrayLike<number>, into: Longer): Longer {
  into.set(old);
  return into;
}

/**
 * Concatenates byte arrays.
 *
 * @example
 * joined([Uint8Array.of(1, 2), Uint8Array.of(3)]) // => Uint8Array.of(1, 2, 3)
 */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/**
 * Concatenates lists; several times as fast as `flatMap`.
 *
 * @example
 * joinedLists([['a'], ['b', 'c']]) // => ['a', 'b', 'c']
 */
export function joinedLists<T>(lists: readonly (readonly T[])[]): T[] {
  const whole: T[] = [];
  for (const list of lists) for (let i = 0; i < list.length; i += 1) whole.push(list[i]!);
  return whole;
}

/**
 * Returns the log-sum-exp of `count` values from `start`; minus infinity if all of them are minus
 * infinity.
 *
 * @example
 * logSum(Float64Array.of(9, 0, 0), 1, 2) // => Math.log(2)
 */
export function logSum(values: Reals, start = 0, count = values.length - start): number {
  const end = start + count;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = start; i < end; i += 1) most = Math.max(most, values[i]!);
  if (most === Number.NEGATIVE_INFINITY) return most;
  let sum = 0;
  for (let i = start; i < end; i += 1) sum += Math.exp(values[i]! - most);
  return most + Math.log(sum);
}

/**
 * Returns by bisection the first number from `low` to `high` that is not below the target; `high`
 * if all of them are below it.
 *
 * @param isBelow predicate that is true for the first numbers, and false for all after them
 * @example
 * const ends = [3, 8, 9];
 * bisect(0, ends.length, i => ends[i] <= 5) // => 1
 */
export function bisect(low: number, high: number, isBelow: (number: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBelow(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
