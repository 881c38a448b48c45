import { TagstreamError } from '../../../core/errors.js';
import { type KnownTags, knownTags } from '../../../core/sentence/known-tags.js';
import type { PartialTag } from '../../../core/sentence/partial-tag.js';
import { lengthMismatch, wrongShape } from './record-shapes.js';

/**
 * Gold tags of a record: for each token its tag, the tags that it may be, or null where nothing is known.
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
  return isWhole ? { tags: items as readonly string[] } : knownTags(items as readonly PartialTag[]);
}

function requireSet(field: string, value: unknown): void {
  const isSet = Array.isArray(value) && value.length > 0;
  if (isSet && (value as readonly unknown[]).every(item => typeof item === 'string')) return;
  if (typeof value === 'number') throw withoutName(field, value);
  throw wrongShape(field, 'a tag, an array of the tags that it may be, or null', value);
}

/** A number stands for a label that is named elsewhere. */
function withoutName(field: string, value: number): TagstreamError {
  return new TagstreamError('wrong-shape', `${field} is ${value}, and numbers have no names here`, {
    fix: 'name them from 0 on in the source: labels: [O, B-PER, ...]; or write names',
  });
}
