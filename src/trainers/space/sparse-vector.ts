/** A vector with few numbers, in memory that threads share. */
export interface SparseVector {
  /** Places of the numbers in a whole vector, none twice. */
  readonly places: Uint32Array;
  readonly values: Float64Array;
}
