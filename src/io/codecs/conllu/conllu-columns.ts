import * as z from 'zod';
import { shown } from '../../../core/schema/schema-messages.js';
import { suggestion } from '../../../core/wording/nearest.js';
import { lineOptions } from '../../lines/line-options.js';
import { tagCellOptions } from '../tag-cell-options.js';
import { type ConlluColumn, tagPlaceOf } from './result-place.js';
import { conlluColumns } from './surface-words.js';

/**
 * Returns the value of an attribute in a cell such as `SpaceAfter=No|name=B-LOC`; undefined if it is absent.
 *
 * @example
 * attributeOf('SpaceAfter=No|name=B-LOC', 'name') // => 'B-LOC'
 */
export function attributeOf(cell: string, name: string): string | undefined {
  const found = cell.split('|').find(each => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/**
 * Sets or removes an attribute of a cell; all others are unchanged.
 *
 * @example
 * withAttribute('name=O|SpaceAfter=No', 'name', 'B-LOC') // => 'name=B-LOC|SpaceAfter=No'
 * withAttribute('name=B-LOC', 'name', undefined) // => '_'
 */
export function withAttribute(cell: string, name: string, value: string | undefined): string {
  const all = cell === '_' || cell === '' ? [] : cell.split('|');
  const at = all.findIndex(each => each.startsWith(`${name}=`));
  const own = value === undefined ? [] : [`${name}=${value}`];
  if (at < 0) all.push(...own);
  else all.splice(at, 1, ...own);
  return all.length === 0 ? '_' : all.join('|');
}

/** Returns the index of a column in a row, from 0. */
export function cellIndex(column: ConlluColumn): number {
  return conlluColumns.indexOf(column) + 2;
}

/** Whether a row is a word, rather than a multiword token (`1-2`), an empty node (`8.1`) or a comment. */
export function isWordRow(row: string): boolean {
  const id = row.slice(0, row.indexOf('\t'));
  return /^\d+$/.test(id);
}

export const conlluOptions = z.strictObject({
  tag: z
    .string()
    .superRefine((tag, context) => {
      if (tagPlaceOf(tag) !== undefined) return;
      const message = `there is no ${shown(tag)}: ${suggestion(tag, [...conlluColumns, 'misc.NAME', 'feats.NAME'])}`;
      context.addIssue({ code: 'custom', message });
    })
    .default('upos')
    .describe(
      'the column of the tags, or an attribute, such as `misc.name` for `SpaceAfter=No|name=B-LOC`, where words without it are `O`; _ is a value of feats and misc in sentences with parts of speech, elsewhere a sentence with only _ has no tags',
    ),
  ...tagCellOptions,
  unknown: tagCellOptions.unknown.describe(
    `${tagCellOptions.unknown.description}; default: _ in the column upos, whose tags are never empty`,
  ),
  ...lineOptions,
});
