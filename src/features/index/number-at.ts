/**
 * The number that is at a place, from 0, of numbers in ascending order, none below 0. They stay as they are. Cost
 * O(numbers), however many are equal: their bits ascend as they do, so that two counts of halves of the bits find it.
 *
 * @example
 * numberAt(Float32Array.of(3, 0, 0.5, 3), 2) // => 3
 */
export function numberAt(numbers: Float32Array, place: number): number {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const counts = new Uint32Array(2 ** 16);
  for (let i = 0; i < bits.length; i += 1) counts[bits[i]! >>> 16]! += 1;
  const high = placeIn(counts, place);
  counts.fill(0);
  for (let i = 0; i < bits.length; i += 1) {
    if (bits[i]! >>> 16 === high.value) counts[bits[i]! & 0xffff]! += 1;
  }
  const low = placeIn(counts, high.rest);
  return new Float32Array(Uint32Array.of(high.value * 2 ** 16 + low.value).buffer)[0]!;
}

/** Whose count a place falls into, and its place among these. */
function placeIn(counts: Uint32Array, place: number): { value: number; rest: number } {
  let rest = place;
  let value = 0;
  while (rest >= counts[value]!) {
    rest -= counts[value]!;
    value += 1;
  }
  return { value, rest };
}
