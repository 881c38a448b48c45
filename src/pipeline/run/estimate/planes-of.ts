/** Numbers that an online optimizer keeps for each weight, beside the weight and its average. */
const own: Readonly<Record<string, number>> = {
  sgd: 0,
  'sgd-l1': 1,
  perceptron: 0,
  adagrad: 1,
  'passive-aggressive': 0,
  arow: 1,
};

/** Those that deploy the average unless their options say otherwise. */
const averages: ReadonlySet<string> = new Set(['perceptron', 'passive-aggressive']);

/**
 * Numbers that training with an online optimizer takes for each weight; undefined for one that nothing is known of.
 *
 * @example
 * planesOf('sgd', { average: true }) // => 2
 * planesOf('perceptron', {}) // => 2
 */
export function planesOf(
  optimizer: string,
  options: Readonly<Record<string, unknown>>,
): number | undefined {
  const kept = own[optimizer];
  if (kept === undefined) return undefined;
  return 1 + kept + ((options.average ?? averages.has(optimizer)) === true ? 1 : 0);
}
