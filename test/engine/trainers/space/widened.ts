/** Numbers of bfloat16 as they are: the upper halves of float32. */
export function widened(halves: Uint16Array): Float64Array {
  const bits = Uint32Array.from(halves, half => half << 16);
  return Float64Array.from(new Float32Array(bits.buffer));
}
