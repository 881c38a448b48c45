import { segmentEnds } from './segmenter.js';

// Character classes for the Unicode sentence boundaries (UAX #29); 0 is any other.
const lower = 1;
const upper = 2;
const otherLetter = 3;
const numeric = 4;
const white = 5;
const close = 6;
const goesOn = 7;
const fullStop = 8;
const terminator = 9;
/** Class of a character that belongs to the one before it. */
const extend = 10;
const unknown = 255;

/**
 * Classes and the characters that they match; the first match wins. Line breaks count as spaces, as
 * in `splitSentences`.
 */
const matched: readonly (readonly [number, RegExp])[] = [
  // The signs before Arabic numbers differ between Unicode versions.
  [unknown, /[\u2029\u0600-\u0605\u06dd\p{Cn}]/u],
  [white, /[\n\r\u0085\u2028]/],
  [extend, /[\p{Grapheme_Extend}\p{Mc}\p{Cf}]/u],
  [otherLetter, /\u05f3/],
  [white, /\p{White_Space}/u],
  [lower, /\p{Lowercase}/u],
  [upper, /[\p{Uppercase}\p{Lt}]/u],
  [otherLetter, /\p{Alphabetic}/u],
  [numeric, /[\p{Nd}\u066b\u066c]/u],
  [fullStop, /[.\u2024]/],
  [terminator, /\p{Sentence_Terminal}/u],
  [goesOn, /[,\-:\u055d\u060c\u060d\u07f8\u2013\u2014]/],
  [close, /["'\p{Ps}\p{Pe}\p{Pi}\p{Pf}]/u],
];

const made = new WeakMap<Intl.Segmenter, Uint8Array | undefined>();

const classedRanges = [
  [0, 0x800],
  [0x2000, 0x2300],
] as const;

/**
 * Returns the character classes with which the kernel finds the same sentence ends as a segmenter (`segmentEnds`): one byte
 * per code point to U+07FF, then from U+2000 to U+22FF. Undefined if the segmenter has custom rules.
 *
 * @example
 * const classes = sentenceClasses(new Intl.Segmenter('en', { granularity: 'sentence' }));
 * [...'aA. 1'].map(each => classes[each.charCodeAt(0)]) // => [1, 2, 8, 5, 4]
 */
export function sentenceClasses(sentences: Intl.Segmenter): Uint8Array | undefined {
  if (!made.has(sentences)) made.set(sentences, classesOf(sentences));
  return made.get(sentences);
}

function classesOf(sentences: Intl.Segmenter): Uint8Array | undefined {
  const pieces = (text: string) => segmentEnds(text, sentences).length;
  // Some segmenters suppress breaks after abbreviations.
  if (pieces('Mr. Brown') !== 2 || pieces('A? b. c') !== 2) return undefined;
  const classes = classedRanges.flatMap(([from, end]) =>
    Array.from({ length: end - from }, (_, i) => {
      const character = String.fromCharCode(from + i);
      return matched.find(([, pattern]) => pattern.test(character))?.[0] ?? 0;
    }),
  );
  // The class of these marks depends on the Unicode version and on the language.
  for (const mark of [';', '\u037e']) {
    const ends = pieces(`a${mark} B`) === 2;
    const continues = pieces(`a?${mark}B`) === 1;
    classes[mark.charCodeAt(0)] = ends ? terminator : continues ? goesOn : 0;
  }
  return Uint8Array.from(classes);
}
