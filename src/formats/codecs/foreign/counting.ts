/** Units of offsets: Unicode code points, as in Python; UTF-16 units, as in JavaScript and Java; or bytes of UTF-8. */
export const offsetUnits = ['codepoints', 'utf16', 'bytes'] as const;

export type OffsetUnit = (typeof offsetUnits)[number];

/** A tool's way of counting the characters of a text. */
export interface Counting {
  /** Length of the whole text in the tool's unit. */
  readonly length: number;
  /** Converts an offset to UTF-16 units; -1 if it is inside a character or outside the text. */
  toUnits(offset: number): number;
  /** Converts UTF-16 units to an offset; half of a surrogate pair does not count. */
  fromUnits(units: number): number;
}

/**
 * Converts offsets of a text between a unit and UTF-16 units. Cost O(text) once if they differ, then O(1) for
 * `toUnits` and O(log text) for `fromUnits`.
 *
 * @param joinsLineEnds whether a CR before LF is ignored, as by tools that read files in text mode
 * @example
 * const { toUnits, fromUnits, length } = countingOf('😀 Ann', 'codepoints');
 * [toUnits(2), fromUnits(3), length] // => [3, 2, 5]
 * const bytes = countingOf('é Ann', 'bytes');
 * [bytes.toUnits(3), bytes.toUnits(1)] // => [2, -1]
 */
export function countingOf(text: string, unit: OffsetUnit, joinsLineEnds = false): Counting {
  if (!joinsLineEnds && !(unit === 'utf16' ? hasPairs : differs[unit]).test(text)) {
    return plainCounting(text);
  }
  // UTF-16 units before each offset that begins a character.
  const starts: number[] = [];
  for (let at = 0; at < text.length; ) {
    const character = text.codePointAt(at)!;
    const isLineEnd = joinsLineEnds && character === CR && text.charCodeAt(at + 1) === LF;
    const units = character > 0xffff || isLineEnd ? 2 : 1;
    starts.push(at);
    for (let more = sizeOf(character, unit); more > 1; more -= 1) starts.push(-1);
    at += units;
  }
  starts.push(text.length);
  return {
    length: starts.length - 1,
    toUnits: offset => starts[offset] ?? -1,
    fromUnits: units => offsetOf(starts, units),
  };
}

const CR = 13;
const LF = 10;

const hasPairs = /[\ud800-\udbff][\udc00-\udfff]/;
const differs = { codepoints: hasPairs, bytes: /[^\0-\x7f]/ } as const;

function plainCounting({ length }: string): Counting {
  const toUnits = (offset: number) => (offset >= 0 && offset <= length ? offset : -1);
  return { length, toUnits, fromUnits: units => units };
}

function sizeOf(character: number, unit: OffsetUnit): number {
  if (unit === 'codepoints') return 1;
  if (unit === 'utf16') return character > 0xffff ? 2 : 1;
  return character < 0x80 ? 1 : character < 0x800 ? 2 : character <= 0xffff ? 3 : 4;
}

/** Returns the last offset that begins a character at or before a number of units. */
function offsetOf(starts: readonly number[], units: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const begin = characterAt(starts, middle);
    if (starts[begin]! <= units) low = middle;
    else high = begin - 1;
  }
  return characterAt(starts, low);
}

/** Returns the offset of the first unit of the character that contains an offset. */
function characterAt(starts: readonly number[], offset: number): number {
  let at = offset;
  while (starts[at] === -1) at -= 1;
  return at;
}
