/**
 * The harmonic mean of precision and recall, `2 p r / (p + r)`; 0 where both are 0.
 *
 * @example
 * f1Score(100, 50).toFixed(2) // => '66.67'
 * f1Score(0, 0) // => 0
 */
export function f1Score(precision: number, recall: number): number {
  const sum = precision + recall;
  return sum > 0 ? (2 * precision * recall) / sum : 0;
}
