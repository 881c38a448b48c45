/** Maximum length of a word: names of columns, ids, labels and headers may have any length. */
const longestWord = 240;

/** Maximum length of a text. */
const longestText = 4000;

/**
 * Shortens the text of an error, so that it does not grow with what it quotes: omits the middle of long words,
 * which are mostly names, and of the whole text.
 *
 * @example
 * shortened('unknown column pos') // => 'unknown column pos'
 * shortened(`unknown column ${'a'.repeat(100_000)}`).length // => 255
 */
export function shortened(text: string): string {
  if (text.length <= longestWord) return text;
  return cut(
    text.replace(/\S+/g, word => cut(word, longestWord)),
    longestText,
  );
}

/** Omits the middle of a text that is longer than `most`, but no half of a surrogate pair. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = most / 4;
  const start = text.slice(0, most - tail - 1).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, '');
  return `${start}…${end}`;
}
