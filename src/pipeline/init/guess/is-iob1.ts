/**
 * Whether the tags of a file mark spans in IOB1: `B-` stands only between two spans of one type, and spans begin with `I-`.
 *
 * @param tags with an empty text between sentences
 * @example
 * isIob1(['I-PER', 'O', 'I-LOC', 'B-LOC']) // => true
 * isIob1(['B-PER', 'O']) // => false
 * isIob1(['I-PER', 'O']) // => false
 */
export function isIob1(tags: readonly string[]): boolean {
  let begins = 0;
  let betweens = 0;
  for (let i = 0; i < tags.length; i += 1) {
    const tag = tags[i]!;
    const before = tags[i - 1] ?? '';
    const isAfterOwn = /^[BI]-/.test(before) && before.slice(1) === tag.slice(1);
    if (tag.startsWith('B-')) {
      if (!isAfterOwn) return false;
      betweens += 1;
    } else if (tag.startsWith('I-') && !isAfterOwn) begins += 1;
  }
  return betweens > 0 && begins > 0;
}
