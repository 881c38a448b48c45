/** Arrays of numbers that grow. */
type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/**
 * The numbers of an array at the beginning of a longer one.
 *
 * @example
 * grown([1, 2], new Uint8Array(3)) // => Uint8Array.of(1, 2, 0)
 */
export function grown<Longer extends Numbers>(old: ArrayLike<number>, into: Longer): Longer {
  into.set(old);
  return into;
}
