/**
 * A number with commas between thousands, as English has them; what `toLocaleString` gives, which takes 15 ms the first time.
 *
 * @example
 * grouped(1234567) // => '1,234,567'
 * grouped(0.25) // => '0.25'
 */
export function grouped(value: number): string {
  const [whole, ...fraction] = String(value).split('.');
  return [whole!.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}
