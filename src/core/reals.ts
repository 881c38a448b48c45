/** How the numbers of parameters and of inference are kept. */
export type Precision = 'float64' | 'float32';

/** An array of such numbers. */
export type Reals = Float64Array | Float32Array;
