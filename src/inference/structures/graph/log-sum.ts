/** log of the sum of the exponentials of some numbers. */
export function logSum(numbers: Float64Array, start: number, count: number): number {
  const most = largest(numbers, start, count);
  if (most === Number.NEGATIVE_INFINITY) return most;
  let sum = 0;
  for (let i = start; i < start + count; i += 1) sum += Math.exp(numbers[i]! - most);
  return most + Math.log(sum);
}

/** The largest of some numbers. */
export function largest(numbers: Float64Array, start: number, count: number): number {
  let most = numbers[start]!;
  for (let i = start + 1; i < start + count; i += 1) if (numbers[i]! > most) most = numbers[i]!;
  return most;
}
