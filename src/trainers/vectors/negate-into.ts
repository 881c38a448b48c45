/** into = -x. */
export function negateInto(x: Float64Array, into: Float64Array): void {
  for (let i = 0; i < x.length; i += 1) into[i] = -x[i]!;
}
