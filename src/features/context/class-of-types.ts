/** How often each type of label came. */
export type TypeCounts = Map<string, number>;

/**
 * The most frequent type, how certain that is (`!` always, `>` in 70 % of all cases, `~` less), and how often any came
 * (1, 2 for 2 to 3, 4 for 4 to 9, 9 for more); of types as frequent the first by name. Undefined where none came.
 *
 * @example
 * classOfTypes(new Map([['PER', 4], ['O', 1]])) // => 'PER>4'
 */
export function classOfTypes(counts: ReadonlyMap<string, number>): string | undefined {
  let best = '';
  let most = 0;
  let total = 0;
  for (const [type, n] of counts) {
    total += n;
    if (n > most || (n === most && type < best)) {
      best = type;
      most = n;
    }
  }
  if (total === 0) return undefined;
  const certainty = most === total ? '!' : most >= 0.7 * total ? '>' : '~';
  const size = total === 1 ? 1 : total < 4 ? 2 : total < 10 ? 4 : 9;
  return `${best}${certainty}${size}`;
}
