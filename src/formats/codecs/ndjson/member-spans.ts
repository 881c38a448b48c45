import { TagstreamError } from '../../../engine/core/errors.js';

/** A top-level member of a JSON object: its key, and the ranges of key and value in the text. */
export interface Member {
  /** The key with its escapes resolved. */
  readonly key: string;
  /** Range of the key, `[keyStart, keyEnd)`, quotes included. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** Range of the value, `[valueStart, valueEnd)`, without surrounding white space. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;
const comma = 44;
const colon = 58;

/**
 * Finds the top-level members of an object's JSON text, in text order, including duplicates.
 *
 * `json` must be valid JSON (accepted by `JSON.parse`); nested values are skipped, not checked. Time
 * is linear in the text, without recursion.
 *
 * @throws TagstreamError `not-an-object` if the text does not begin with a brace, `not-json` if it
 * ends too early
 * @example
 * const json = '{"id": 7, "tags": ["X"]}';
 * memberSpans(json).map(member => json.slice(member.valueStart, member.valueEnd)) // => ['7', '["X"]']
 */
export function memberSpans(json: string): Member[] {
  const members: Member[] = [];
  let i = skipSpace(json, 0);
  if (json.charCodeAt(i) !== openBrace) {
    throw new TagstreamError('not-an-object', 'the record is not a JSON object');
  }
  i = skipSpace(json, i + 1);
  while (json.charCodeAt(i) === quote) {
    const keyStart = i;
    const keyEnd = skipString(json, i);
    i = skipSpace(json, keyEnd);
    if (json.charCodeAt(i) !== colon) throw cutShort();
    const valueStart = skipSpace(json, i + 1);
    const valueEnd = skipValue(json, valueStart);
    members.push({
      key: decodeKey(json, keyStart, keyEnd),
      keyStart,
      keyEnd,
      valueStart,
      valueEnd,
    });
    i = skipSpace(json, valueEnd);
    if (json.charCodeAt(i) === comma) i = skipSpace(json, i + 1);
  }
  if (json.charCodeAt(i) !== closeBrace) throw cutShort();
  return members;
}

/** Range of a JSON array's item in the text, without surrounding white space. */
export interface Item {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the items of an array's JSON text, like `memberSpans` for members.
 *
 * @throws TagstreamError `not-json` if the text is not an array or ends too early
 * @example
 * itemSpans('[1.0, {"a": [2]}]') // => [{ start: 1, end: 4 }, { start: 6, end: 16 }]
 */
export function itemSpans(json: string): Item[] {
  const items: Item[] = [];
  let i = skipSpace(json, 0);
  if (json.charCodeAt(i) !== openBracket) throw cutShort();
  i = skipSpace(json, i + 1);
  while (i < json.length && json.charCodeAt(i) !== closeBracket) {
    const end = skipValue(json, i);
    items.push({ start: i, end });
    i = skipSpace(json, end);
    if (json.charCodeAt(i) === comma) i = skipSpace(json, i + 1);
  }
  if (i >= json.length) throw cutShort();
  return items;
}

function decodeKey(json: string, start: number, end: number): string {
  const inner = json.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : inner;
}

function skipSpace(json: string, from: number): number {
  let i = from;
  for (;;) {
    const c = json.charCodeAt(i);
    if (c !== 32 && c !== 9 && c !== 10 && c !== 13) return i;
    i += 1;
  }
}

/** Returns the index after the string that begins at `from`. */
function skipString(json: string, from: number): number {
  let end = json.indexOf('"', from + 1);
  while (end >= 0) {
    // An odd number of preceding backslashes makes the quote part of the string.
    let first = end;
    while (json.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end + 1;
    end = json.indexOf('"', end + 1);
  }
  throw cutShort();
}

function skipValue(json: string, from: number): number {
  const first = json.charCodeAt(from);
  if (first === quote) return skipString(json, from);
  if (first === openBrace || first === openBracket) return skipNested(json, from);
  let i = from;
  while (i < json.length && !endsPrimitive(json.charCodeAt(i))) i += 1;
  if (i === from) throw cutShort();
  return i;
}

function skipNested(json: string, from: number): number {
  let depth = 0;
  let i = from;
  while (i < json.length) {
    const c = json.charCodeAt(i);
    if (c === quote) {
      i = skipString(json, i);
    } else {
      i += 1;
      if (c === openBrace || c === openBracket) depth += 1;
      else if (c === closeBrace || c === closeBracket) depth -= 1;
      if (depth === 0) return i;
    }
  }
  throw cutShort();
}

function endsPrimitive(c: number): boolean {
  return (
    c === comma ||
    c === closeBrace ||
    c === closeBracket ||
    c === 32 ||
    c === 9 ||
    c === 10 ||
    c === 13
  );
}

function cutShort(): TagstreamError {
  return new TagstreamError('not-json', 'the JSON text is cut short or malformed');
}
