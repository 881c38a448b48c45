import { TagstreamError } from '../../../engine/core/errors.js';
import type { Range } from '../../../engine/core/sentence/document.js';
import {
  blankTagIn,
  type KnownTags,
  knownTags,
  type PartialTag,
} from '../../../engine/core/sentence/partial-tag.js';
import { counted } from '../../../engine/core/wording/numbers.js';

/** Returns the error for a field with an unexpected value. */
export function wrongShape(field: string, expected: string, found: unknown): TagstreamError {
  return new TagstreamError('wrong-shape', `${field} is ${show(found)}`, {
    fix: `give ${expected}`,
  });
}

/** Describes a value; nested ones only by kind, because they may be of any size and depth. */
function show(value: unknown): string {
  if (Array.isArray(value)) {
    const flat = value.length <= 3 && value.every(item => typeof item !== 'object');
    return flat ? JSON.stringify(value) : `an array of ${value.length}`;
  }
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

/** Returns the error for a field without exactly one item per token. */
export function lengthMismatch(field: string, found: number, tokens: number): TagstreamError {
  const items = found === 1 && ['tags', 'offsets'].includes(field) ? field.slice(0, -1) : field;
  const problem = `${counted(tokens, 'token')} but ${found} ${items}`;
  return new TagstreamError('length-mismatch', problem, {
    fix: `give one item of ${field} per token`,
  });
}

/** @throws TagstreamError `wrong-shape` if `value` is not an array of strings */
export function readStrings(field: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw wrongShape(field, 'an array of strings', value);
  const items: readonly unknown[] = value;
  for (let i = 0; i < items.length; i += 1) {
    if (typeof items[i] !== 'string') throw wrongShape(`${field}[${i}]`, 'a string', items[i]);
  }
  return items as readonly string[];
}

/**
 * @param shared ranges of items that may share one pair, such as the words of a multiword token
 * @throws TagstreamError `wrong-shape` if `value` is not an array of [start, end] pairs of integers
 * in `[0, limit]`, in order and without overlap
 */
export function checkRanges(
  field: string,
  value: unknown,
  limit: number,
  shared: readonly Range[] = [],
): readonly Range[] {
  if (!Array.isArray(value)) throw wrongShape(field, 'an array of [start, end] pairs', value);
  const items: readonly unknown[] = value;
  let last = 0;
  let own = 0;
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i];
    const [start, end] = Array.isArray(item) && item.length === 2 ? (item as unknown[]) : [];
    while (own < shared.length && shared[own]![1] <= i) own += 1;
    if (own < shared.length && shared[own]![0] < i) {
      const before = items[i - 1] as Range;
      if (start === before[0] && end === before[1]) continue;
    }
    if (!isIndex(start, last) || !isIndex(end, start) || end > limit) {
      const expected = `[start, end] with ${last} <= start <= end <= ${limit}`;
      throw wrongShape(`${field}[${i}]`, expected, item);
    }
    last = end;
  }
  return items as readonly Range[];
}

function isIndex(value: unknown, least: number): value is number {
  return Number.isInteger(value) && (value as number) >= least;
}

/**
 * Reads the gold tags of a record: for each token its tag, the possible tags, or null if unknown.
 *
 * @throws TagstreamError `wrong-shape`, `length-mismatch`
 * @example
 * readPartialTags('tags', ['B-PER', null, ['O', 'I-PER']], 3) // => ({ partialTags: ['B-PER', null, ['O', 'I-PER']] })
 * readPartialTags('tags', ['X', 'Y'], 2) // => ({ tags: ['X', 'Y'] })
 */
export function readPartialTags(field: string, value: unknown, count: number): KnownTags {
  if (!Array.isArray(value)) throw wrongShape(field, 'an array of tags', value);
  const items: readonly unknown[] = value;
  let isWhole = true;
  for (let i = 0; i < items.length; i += 1) {
    if (typeof items[i] === 'string') continue;
    isWhole = false;
    if (items[i] !== null) requireSet(`${field}[${i}]`, items[i]);
  }
  if (items.length !== count) throw lengthMismatch(field, items.length, count);
  const blank = blankTagIn(items as readonly PartialTag[]);
  if (blank >= 0) throw wrongShape(`${field}[${blank}]`, 'a tag, or null', items[blank]);
  return isWhole ? { tags: items as readonly string[] } : knownTags(items as readonly PartialTag[]);
}

function requireSet(field: string, value: unknown): void {
  const isSet = Array.isArray(value) && value.length > 0;
  if (isSet && (value as readonly unknown[]).every(item => typeof item === 'string')) return;
  if (typeof value === 'number') throw withoutName(field, value);
  throw wrongShape(field, 'a tag, an array of possible tags, or null', value);
}

/** Returns the error for a numeric label without a name. */
function withoutName(field: string, value: number): TagstreamError {
  return new TagstreamError(
    'wrong-shape',
    `${field} is ${value}, but the source does not say what numbers mean`,
    {
      fix: 'list the labels in the source, from number 0 on: labels: [O, B-PER, ...]; or write labels instead of numbers',
    },
  );
}
