import { channel } from 'node:diagnostics_channel';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Overlaps, TextSpan } from '../../../engine/core/sentence/document.js';
import { isBlankLabel } from '../../../engine/core/sentence/partial-tag.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { type Counting, countingOf, type OffsetUnit, offsetUnits } from './counting.js';

/** A span as written in a record. */
export interface FoundSpan {
  /** Path in the record, for errors: `label[0]`. */
  readonly at: string;
  readonly start: unknown;
  readonly end: unknown;
  readonly label: unknown;
  /** Text of the span according to the record. */
  readonly text?: unknown;
  /** Ranges of the span's pieces in order, if it has several. */
  readonly pieces?: readonly (readonly [start: number, end: number])[];
}

/** Settings for reading a format's offsets. */
export interface OffsetReading {
  /** Unit of the format. */
  readonly own: OffsetUnit;
  /** Unit of the offsets, if it is certain. */
  readonly offsets?: OffsetUnit | undefined;
  /** Treatment of spans in several pieces; `reject` if absent. */
  readonly overlaps?: Overlaps | undefined;
  /** Whether dropped pieces are announced. */
  readonly announces?: boolean;
  /** Whether a byte order mark may have been cut from the text. */
  readonly lacksMark?: boolean;
}

/** Detected unit of a record's offsets, if it differs from the format's. */
export interface OtherOffsets {
  /** Description of the unit. */
  readonly counts: string;
  /** The corresponding source option; absent if there is none. */
  readonly offsets?: OffsetUnit;
}

/** Diagnostics channel for detected units: messages are `OtherOffsets`. */
export const otherOffsets = channel('tagstream:other-offsets');

/** Spans, or pieces of spans, that were dropped. */
export interface LeftOutSpans {
  readonly count: number;
  /** Reason: overlap with others, or being pieces of a span with words in between. */
  readonly why: 'overlap' | 'pieces';
}

/** Diagnostics channel for dropped spans: messages are `LeftOutSpans`. */
export const leftOutSpans = channel('tagstream:left-out-spans');

/** Spans at their positions in the text, and the unit of the record's offsets. */
export interface PlacedSpans {
  readonly spans: readonly TextSpan[];
  readonly counting: Counting;
}

/**
 * Finds the positions of a record's spans, which share one unit. If the record contains their texts, these must match.
 * Otherwise the format's unit applies, unless with it a span begins or ends inside a word and exactly one other unit
 * avoids that: a wrong unit shifts spans after multi-unit characters off their words.
 *
 * @throws TagstreamError `wrong-shape` if a position is outside the text, or a span's text does not match
 * @example
 * const placed = (start, end, text) => placeSpans('😀 Ann', [{ at: 'a', start, end, label: 'PER', text }], { own: 'codepoints' }).spans;
 * placed(2, 5) // => [{ start: 3, end: 6, label: 'PER' }]
 * placed(3, 6) // => [{ start: 3, end: 6, label: 'PER' }]
 * placed(5, 8, 'Ann') // => [{ start: 3, end: 6, label: 'PER' }]
 */
export function placeSpans(
  text: string,
  found: readonly FoundSpan[],
  reading: OffsetReading,
): PlacedSpans {
  for (const { at, label } of found) {
    if (typeof label !== 'string' || isBlankLabel(label)) {
      throw wrongShape(`the label of ${at}`, 'a string that is not empty', label);
    }
  }
  const own = countingOf(text, reading.offsets ?? reading.own);
  const counting = fittingCounting(text, found, reading, own);
  const spans = found.map(span => {
    const place = placeOf(span, counting);
    if (place === undefined) throw noPlace(span, counting);
    if (!shows(span, pieceOf(text, span, counting, place))) throw otherText(span, text, place);
    const [start, end] =
      span.pieces === undefined ? place : piecePlace(text, span, counting, reading);
    return { start, end, label: span.label as string };
  });
  return { spans, counting };
}

function fittingCounting(
  text: string,
  found: readonly FoundSpan[],
  reading: OffsetReading,
  own: Counting,
): Counting {
  if (reading.offsets !== undefined || found.length === 0) return own;
  const all = (counting: Counting, isRight: (text: string, place: Place) => boolean) =>
    found.every(span => {
      const place = placeOf(span, counting);
      if (place === undefined) return false;
      return saysText(span)
        ? shows(span, pieceOf(text, span, counting, place))
        : isRight(text, place);
    });
  if (all(own, cutsNothing)) return own;
  const keyOf = (counting: Counting) =>
    found.map(span => placeOf(span, counting)!.join(' ')).join(',');
  const others = new Map(
    otherCountings(text, reading)
      .filter(([, counting]) => all(counting, isWords))
      .map(other => [keyOf(other[1]), other]),
  );
  // If several units fit and give different spans, none is preferable.
  if (others.size !== 1) return own;
  const [[meaning, counting]] = [...others.values()] as [OtherCounting];
  otherOffsets.publish(meaning);
  return counting;
}

type OtherCounting = readonly [OtherOffsets, Counting];

const names = {
  codepoints: 'code points',
  utf16: 'UTF-16 units',
  bytes: 'bytes of UTF-8',
} as const satisfies Record<OffsetUnit, string>;

function otherCountings(text: string, { own, lacksMark }: OffsetReading): OtherCounting[] {
  const all = offsetUnits
    .filter(unit => unit !== own)
    .map((unit): OtherCounting => [{ counts: names[unit], offsets: unit }, countingOf(text, unit)]);
  const add = (counts: string, counting: Counting) => all.push([{ counts }, counting]);
  if (text.includes('\r\n')) {
    for (const unit of offsetUnits) {
      add(`${names[unit]}, each line end as one`, countingOf(text, unit, true));
    }
  }
  const mark = `${names[own]}, a byte order mark`;
  if (text.startsWith('\ufeff')) add(`${mark} not among them`, moved(countingOf(text, own), 1));
  if (lacksMark === true) add(`${mark} among them`, moved(countingOf(text, own), -1));
  return all;
}

/** Returns the counting of a text with a byte order mark added or removed. */
function moved({ length, toUnits, fromUnits }: Counting, by: number): Counting {
  return {
    length: length - by,
    toUnits: offset => toUnits(offset + by),
    fromUnits: units => fromUnits(units) - by,
  };
}

type Place = readonly [start: number, end: number];

function placeOf({ start, end }: FoundSpan, { toUnits }: Counting): Place | undefined {
  if (!Number.isInteger(start) || !Number.isInteger(end)) return undefined;
  const [from, to] = [toUnits(start as number), toUnits(end as number)];
  return from >= 0 && from < to ? [from, to] : undefined;
}

/** Returns the text that a span covers, or that of its pieces if it has several. */
function pieceOf(text: string, { pieces }: FoundSpan, { toUnits }: Counting, place: Place): string {
  if (pieces === undefined) return text.slice(...place);
  return pieces.map(([from, to]) => text.slice(toUnits(from), toUnits(to))).join(' ');
}

/**
 * Returns the range of a span in pieces: from the first piece to the last if only white space separates them, as at
 * line ends, otherwise that of one piece.
 *
 * @throws TagstreamError `wrong-shape` if there are words in between, unless one piece may be chosen
 */
function piecePlace(
  text: string,
  span: FoundSpan,
  { toUnits }: Counting,
  { overlaps = 'reject', announces }: OffsetReading,
): Place {
  const places = span.pieces!.map(([from, to]): Place => [toUnits(from), toUnits(to)]);
  if (places.some(([from, to]) => from < 0 || from >= to)) {
    throw wrongShape(
      span.at,
      'pieces of the text, START END;START END',
      JSON.stringify(span.pieces),
    );
  }
  const joined: Place[] = [];
  for (const place of places) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined && last[1] <= place[0] && text.slice(last[1], place[0]).trim() === '';
    if (isNext) joined[joined.length - 1] = [last[0], place[1]];
    else joined.push(place);
  }
  if (joined.length === 1) return joined[0]!;
  if (overlaps === 'reject') throw inPieces(span);
  if (announces === true)
    leftOutSpans.publish({ count: joined.length - 1, why: 'pieces' } satisfies LeftOutSpans);
  if (overlaps === 'first') return joined[0]!;
  return joined.reduce((best, one) => (one[1] - one[0] > best[1] - best[0] ? one : best));
}

function inPieces({ at }: FoundSpan): TagstreamError {
  return new TagstreamError('wrong-shape', `${at} has several pieces with words between them`, {
    fix: 'a span is one piece of text: split the annotation, or set overlaps to longest or first in the source to keep one piece',
  });
}

function saysText({ text }: FoundSpan): boolean {
  return typeof text === 'string' && text !== '';
}

/**
 * Whether a span's stated text matches a piece of text; ignores white space, case, letter variants and subword markers.
 */
function shows(span: FoundSpan, piece: string): boolean {
  return !saysText(span) || span.text === piece || plain(span.text as string) === plain(piece);
}

function plain(text: string): string {
  const letters = text.replace(/^##(?=.)|[▁Ġ]/gu, '').replace(/\\n|\s+/gu, '');
  return letters.normalize('NFC').toLowerCase();
}

/** Whether a range is non-empty, and neither begins nor ends inside a word. */
function cutsNothing(text: string, [start, end]: Place): boolean {
  return text.slice(start, end).trim() !== '' && !isInWord(text, start) && !isInWord(text, end);
}

/** Whether a range consists of whole words. */
function isWords(text: string, place: Place): boolean {
  const piece = text.slice(...place);
  const isClean = piece === piece.trim() && /[\p{L}\p{N}]/u.test(piece);
  return isClean && cutsNothing(text, place) && !/^[\p{M}\u200d]/u.test(text.slice(place[1]));
}

function isInWord(text: string, at: number): boolean {
  const before = /(?:^|.)$/su.exec(text.slice(Math.max(0, at - 2), at))![0];
  const after = text.codePointAt(at);
  return inWord.test(before) && after !== undefined && inWord.test(String.fromCodePoint(after));
}

/** Letters and digits of scripts that separate words by spaces. */
const inWord =
  /[\p{L}\p{M}\p{N}_](?<![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/u;

function noPlace({ at, start, end, label }: FoundSpan, { length, toUnits }: Counting) {
  const isInside = [start, end].some(
    offset =>
      Number.isInteger(offset) &&
      (offset as number) <= length &&
      (offset as number) >= 0 &&
      toUnits(offset as number) < 0,
  );
  const expected = `offsets of characters with 0 <= start < end <= ${length}, the length of the text`;
  return wrongShape(
    at,
    isInside
      ? `${expected}; one of them is inside a character: set offsets in the source`
      : expected,
    [start, end, label],
  );
}

function otherText({ at, start, end, text: shown }: FoundSpan, text: string, place: Place) {
  const short = (piece: string) =>
    JSON.stringify(piece.length > 40 ? `${piece.slice(0, 40)}...` : piece);
  const where = text.indexOf(shown as string);
  const problem = `${at}, ${start} to ${end}, is ${short(text.slice(...place))}, but its text is ${short(shown as string)}`;
  return new TagstreamError('wrong-shape', problem, {
    fix:
      where < 0
        ? 'correct one of them, or remove the text'
        : `that text is at ${where}: correct the offsets, or set offsets in the source if they count something else`,
  });
}
