/** Below this, a power of ten is written. */
const least = 1e-4;

/**
 * A number in six digits, as `%g` of C and streams of C++ write it where it is below 1,000,000.
 *
 * @example
 * sixDigits(0.98765432) // => '0.987654'
 * sixDigits(0.00001234) // => '1.234e-05'
 */
export function sixDigits(value: number): string {
  const rounded = Number(value.toPrecision(6));
  if (rounded === 0 || Math.abs(rounded) >= least) return String(rounded);
  const [digits, power] = rounded.toExponential().split('e-');
  return `${digits}e-${power!.padStart(2, '0')}`;
}
