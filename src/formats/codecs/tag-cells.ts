import { TagstreamError } from '../../engine/core/errors.js';
import type { Document } from '../../engine/core/sentence/document.js';
import {
  isBlankLabel,
  type KnownTags,
  knownTags,
  type PartialTag,
} from '../../engine/core/sentence/partial-tag.js';
import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import { convertTags } from '../../engine/text/tags/convert-tags.js';
import { formOptions, type TagForm, tagReader } from '../../engine/text/tags/tag-form.js';

/** The written form of partial tags in cells. */
export interface TagCells extends TagForm {
  readonly unknown?: string | undefined;
  readonly alternatives?: string | undefined;
  /** Whether the tags are IOB1, to be converted to BIO. */
  readonly iob1?: boolean | undefined;
}

/**
 * Reads the partial tag of a cell. Alternatives that include an unknown one count as unknown.
 *
 * @throws TagstreamError `wrong-shape` if an alternative is empty
 * @example
 * readTagCell('O|I-PER', { alternatives: '|' }) // => ['O', 'I-PER']
 * readTagCell('?', { unknown: '?' }) // => null
 * readTagCell('?', {}) // => '?'
 */
export function readTagCell(cell: string, { unknown, alternatives }: TagCells): PartialTag {
  if (cell === unknown) return null;
  if (alternatives === undefined || cell === alternatives || !cell.includes(alternatives)) {
    return cell;
  }
  const tags = cell.split(alternatives);
  if (tags.some(isBlankLabel)) {
    throw new TagstreamError(
      'wrong-shape',
      `${JSON.stringify(cell.slice(0, 40))} has an empty tag`,
      {
        fix: `separate two tags by a single ${alternatives}, and put none before the first or after the last`,
      },
    );
  }
  return unknown !== undefined && tags.includes(unknown) ? null : tags;
}

/**
 * Requires that the tag in a row is not blank.
 *
 * @param name the column, for the error
 * @param line line of the row, from 1
 * @throws TagstreamError `wrong-shape`
 * @example
 * requireTag('NOUN', 'tag', 1) // => undefined
 */
export function requireTag(cell: string, name: string, line: number): void {
  if (isBlankLabel(cell)) {
    throw emptyCell(
      name,
      line,
      'write the tag; _ in each row of a sentence without tags; for a single unknown tag a text of your choice, named by the option unknown',
    );
  }
}

/** Returns the error for an empty cell in a row. */
export function emptyCell(name: string, line: number, fix: string): TagstreamError {
  const problem = `the column ${name} is empty in a row`;
  return new TagstreamError('wrong-shape', problem, { place: { line }, fix });
}

/** Readers of tag forms, by form. */
const readers = new Map<string, ReturnType<typeof tagReader>>();

/** Returns the reader of a form, which all its users share. */
export function readerOf(form: TagForm): ReturnType<typeof tagReader> {
  if (form.spanTags === undefined && form.outside === undefined) return undefined;
  const key = formOptions(form);
  if (!readers.has(key)) readers.set(key, tagReader(form));
  return readers.get(key);
}

/**
 * Reads the tags of a sentence's cells in Tagstream's notation. IOB1 becomes BIO if all tags are known.
 * Throws the errors of `readTagCell`.
 *
 * @example
 * readTagCells(['I-PER', 'I-PER', 'B-PER'], { iob1: true }) // => ({ tags: ['B-PER', 'I-PER', 'B-PER'] })
 */
export function readTagCells(cells: readonly string[], options: TagCells): KnownTags {
  const { unknown, alternatives, iob1 } = options;
  const reader = readerOf(options);
  const isPlain = alternatives === undefined && (unknown === undefined || !cells.includes(unknown));
  if (isPlain) {
    const tags = reader === undefined ? cells : cells.map(reader);
    return { tags: iob1 === true ? convertTags(tags, 'BIO') : tags };
  }
  const tags = cells.map(cell => readTagCell(cell, options));
  return knownTags(reader === undefined ? tags : tags.map(tag => inForm(tag, reader)));
}

/** Converts a full or partial tag to Tagstream's notation. */
export function inForm(tag: PartialTag, reader: (tag: string) => string): PartialTag {
  if (tag === null) return null;
  return typeof tag === 'string' ? reader(tag) : tag.map(reader);
}

/** Returns the suffix of a format's name if its cells contain partial tags. */
export function formatOfCells(cells: TagCells): string {
  const { unknown, alternatives, iob1 } = cells;
  const form = formOptions(cells);
  const scheme = `${iob1 === true ? ' iob1' : ''}${form === '' ? '' : ` ${form}`}`;
  if (unknown === undefined && alternatives === undefined) return scheme;
  return ` unknown=${unknown ?? ''} alternatives=${alternatives ?? ''}${scheme}`;
}

/**
 * Formats a partial tag as a cell.
 *
 * @throws TagstreamError `wrong-shape` if the options define no text for it
 * @example
 * tagCell(['O', 'I-PER'], { alternatives: '|' }) // => 'O|I-PER'
 * tagCell(null, { unknown: '?' }) // => '?'
 */
export function tagCell(tag: PartialTag, { unknown, alternatives }: TagCells): string {
  if (typeof tag === 'string') return tag;
  if (tag === null && unknown !== undefined) return unknown;
  if (tag !== null && alternatives !== undefined) return tag.join(alternatives);
  const [what, option] =
    tag === null ? ['unknown', 'unknown: "?"'] : ['one of several', 'alternatives: "|"'];
  throw new TagstreamError('wrong-shape', `the format cannot represent a tag that is ${what}`, {
    fix: `give the format the option ${option}, or write NDJSON`,
  });
}

/**
 * Formats the tags of a document as cells; undefined if it has none.
 *
 * @throws TagstreamError `wrong-shape` as `tagCell`
 */
export function tagCellsOf(document: Document, cells: TagCells): readonly string[] | undefined {
  return document.tags ?? document.partialTags?.map(tag => tagCell(tag, cells));
}

/** Returns the predicted tags of a record as cells: that of an unknown tag, or `_`, for each token of an untagged one. */
export function predictedCells(
  { tokens, tags, untagged }: Pick<TaggedDocument, 'tokens' | 'tags' | 'untagged'>,
  { unknown = '_' }: TagCells,
): readonly string[] {
  return untagged === true ? tokens.map(() => unknown) : tags;
}

/** Whether cells contain tags in unchanged form. */
export function areAsWritten({
  unknown,
  alternatives,
  iob1,
  spanTags,
  outside,
}: TagCells): boolean {
  const isForm = spanTags !== undefined || outside !== undefined;
  return unknown === undefined && alternatives === undefined && iob1 !== true && !isForm;
}
