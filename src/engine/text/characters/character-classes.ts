/**
 * Character classes, each named by a character; each punctuation mark or symbol is a class of its
 * own.
 */
const letterClasses: readonly (readonly [RegExp, string])[] = [
  [/^\s$/u, ' '],
  [/^[\p{Lu}\p{Lt}]$/u, 'A'],
  [/^\p{Script=Han}$/u, 'h'],
  [/^\p{Script=Hiragana}$/u, 'i'],
  [/^\p{Script=Katakana}$/u, 'k'],
  [/^\p{Script=Hangul}$/u, 'g'],
  [/^\p{Ll}$/u, 'a'],
  [/^\p{L}$/u, 'x'],
  [/^\p{M}$/u, 'm'],
  [/^\p{Nd}$/u, '0'],
  [/^\p{N}$/u, 'n'],
  [/^\p{Extended_Pictographic}$/u, 'e'],
  [/^\p{Cf}$/u, 'z'],
];

const bmp = 0x10000;
/** Class + 1 and folded code unit of each code point of the BMP seen so far. */
const classes = new Uint16Array(bmp);
const folded = new Uint16Array(bmp);

/**
 * Returns the class of an ASCII character. Needs no pattern: the engine takes 7 ms to compile those with properties.
 */
function lookAscii(point: number): number {
  if (point >= 0x61 && point <= 0x7a) return 0x61;
  if (point >= 0x41 && point <= 0x5a) return 0x41;
  if (point >= 0x30 && point <= 0x39) return 0x30;
  return point >= 0x09 && point <= 0x0d ? 0x20 : point;
}

function look(point: number): number {
  if (point < 0x80) return lookAscii(point);
  const text = String.fromCodePoint(point);
  const found = letterClasses.find(([pattern]) => pattern.test(text));
  return found === undefined ? point : found[1].codePointAt(0)!;
}

/** Returns the class of a code point, as the code of its naming character. */
export function classOf(point: number): number {
  if (point >= bmp) return look(point);
  const known = classes[point]!;
  if (known !== 0) return known - 1;
  const found = look(point);
  // The last code unit has no number + 1, but it is a noncharacter.
  classes[point] = found === 0xffff ? 0 : found + 1;
  return found;
}

/** Folds a code point to lower case, if that is one code point; all white space becomes a space. */
export function foldOf(point: number): number {
  if (point >= bmp) return foldSlowly(point);
  const known = folded[point]!;
  if (known !== 0) return known;
  const found = foldSlowly(point);
  if (found < bmp) folded[point] = found;
  return found;
}

function foldSlowly(point: number): number {
  if (classOf(point) === 0x20) return 0x20;
  const lower = String.fromCodePoint(point).toLowerCase();
  const first = lower.codePointAt(0)!;
  return lower.length === (first > 0xffff ? 2 : 1) ? first : point;
}

/** Returns the class with all punctuation and symbols merged into one, `.`. */
export function coarseOf(classPoint: number): number {
  return isWordClass(classPoint) || classPoint === 0x20 ? classPoint : 0x2e;
}

const wordClasses = new Set(
  letterClasses.map(([, name]) => name.codePointAt(0)!).filter(point => point !== 0x20),
);

/** Returns whether a class consists of letters, marks, digits and the like, not punctuation. */
export function isWordClass(classPoint: number): boolean {
  return wordClasses.has(classPoint);
}
