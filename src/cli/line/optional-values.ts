/** Options that may come without their value, with those that the next word can be and that which holds without it. */
const optional: Readonly<
  Record<string, { readonly values: readonly string[]; readonly without: string }>
> = {
  '--marginals': { values: ['all', 'chosen'], without: 'chosen' },
};

/**
 * The words of a line in which options that may come without a value have one: what comes after such an option is its
 * value if it is one of those that it can have, and else an input.
 *
 * @example
 * optionalValues(['tag', '--marginals', 'all', 'a.txt']) // => ['tag', '--marginals=all', 'a.txt']
 * optionalValues(['tag', '--marginals', 'a.txt']) // => ['tag', '--marginals=chosen', 'a.txt']
 */
export function optionalValues(words: readonly string[]): string[] {
  const made: string[] = [];
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]!;
    const option = i < end && Object.hasOwn(optional, word) ? optional[word] : undefined;
    if (option === undefined) {
      made.push(word);
      continue;
    }
    const next = words[i + 1];
    const isValue = next !== undefined && option.values.includes(next);
    made.push(`${word}=${isValue ? next : option.without}`);
    if (isValue) i += 1;
  }
  return made;
}
