/**
 * Where the code points of a text begin, in UTF-16 units, its end too; undefined where the two are the same, as in texts
 * without characters beyond U+FFFF.
 */
function starts(text: string): readonly number[] | undefined {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(text)) return undefined;
  const found: number[] = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) found.push(at);
  found.push(text.length);
  return found;
}

/** Offsets of a text by two ways of counting: as tools in Python count, and as JavaScript does. */
export interface CodePoints {
  /** Code points of the text. */
  readonly length: number;
  /** The UTF-16 units before a number of code points, which the text has. */
  toUnits(codePoints: number): number;
  /** The code points before a number of UTF-16 units; half of a pair counts as none. */
  fromUnits(units: number): number;
}

/**
 * Converts offsets of a text between code points and UTF-16 units. Cost O(text) once, then O(log text) for `fromUnits`.
 *
 * @example
 * const { toUnits, fromUnits, length } = codePointsOf('😀 Ann');
 * [toUnits(2), fromUnits(3), length] // => [3, 2, 5]
 */
export function codePointsOf(text: string): CodePoints {
  const found = starts(text);
  if (found === undefined) {
    return { length: text.length, toUnits: offset => offset, fromUnits: offset => offset };
  }
  return {
    length: found.length - 1,
    toUnits: offset => found[offset]!,
    fromUnits: units => {
      let [low, high] = [0, found.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (found[middle]! <= units) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
