/** Below this probability of its label a token is asked. */
const sure = 0.9;

/**
 * The tokens whose label is not sure; where all are, the one that is least so.
 *
 * @example
 * askedTokens([0.99, 0.5, 0.95]) // => [1]
 * askedTokens([0.99, 0.95]) // => [1]
 */
export function askedTokens(confidences: ArrayLike<number>): number[] {
  const asked: number[] = [];
  let least = 0;
  for (let t = 0; t < confidences.length; t += 1) {
    if (confidences[t]! < sure) asked.push(t);
    if (confidences[t]! < confidences[least]!) least = t;
  }
  return asked.length > 0 || confidences.length === 0 ? asked : [least];
}
