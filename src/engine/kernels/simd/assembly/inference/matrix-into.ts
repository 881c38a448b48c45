/**
 * Returns the matrix of transition scores into token `t`: that of the token's edge features, or the
 * plain one.
 */
// @ts-expect-error: decorator
@inline
export function matrixInto<T>(
  t: i32,
  transitions: usize,
  slots: usize,
  edges: usize,
  matrixSize: i32,
): usize {
  const slot = slots == 0 ? -1 : load<i32>(slots + ((<usize>t) << 2));
  return slot < 0 ? transitions : edges + <usize>slot * <usize>matrixSize * sizeof<T>();
}
