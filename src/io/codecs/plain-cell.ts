/** Receives a value that a format could not hold, and what was written in its place. */
export type OnReplaced = (value: string, written: string) => void;

/** Receives the name of a field, column or comment that a format does not hold; it may come more than once for a record. */
export type OnDropped = (name: string) => void;

/**
 * A value as a format with cells and lines can hold it: each run of characters that would break them is written
 * as `by`. Half of a surrogate pair, which UTF-8 cannot hold, is written as U+FFFD by any output; it becomes so
 * here where somebody wants to know.
 *
 * @example
 * const found = [];
 * const note = (value, written) => found.push([value, written]);
 * plainCell('a\tb', /[\t\r\n]+/g, '_', note) // => 'a_b'
 * plainCell('\ud83d', /[\t\r\n]+/g, '_', note) // => '\ufffd'
 * found // => [['a\tb', 'a_b'], ['\ud83d', '\ufffd']]
 */
export function plainCell(
  value: string,
  breaking: RegExp,
  by: string,
  onReplaced: OnReplaced | undefined,
): string {
  const cell = value.replace(breaking, by);
  if (onReplaced === undefined) return cell;
  const written = cell.replace(loneSurrogate, '\ufffd');
  if (written !== value) onReplaced(value, written);
  return written;
}

const loneSurrogate = /\p{Surrogate}/gu;
