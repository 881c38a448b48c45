import * as z from 'zod';
import { shown } from '../../../engine/core/schema/schema-messages.js';
import { suggestion } from '../../../engine/core/wording/nearest.js';
import { lineOptions } from '../../lines/line-options.js';
import { tagCellOptions } from '../tag-cell-options.js';
import { tagPlaceOf } from './result-place.js';
import { type ConlluLayout, conlluColumns, conlluLayout } from './surface-words.js';

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

const isHeld = (tag: string, { names }: ConlluLayout) => names.includes(tagPlaceOf(tag)?.column);

export const conlluOptions = z
  .strictObject({
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
    columns: z
      .array(z.string().regex(/^[^\s,]+$/))
      .optional()
      .refine(
        names =>
          names === undefined || (names.includes('FORM') && new Set(names).size === names.length),
        'must have FORM, and each name once',
      )
      .describe(
        'the columns of CoNLL-U Plus, as in the line `# global.columns` of the file: [ID, FORM, UPOS, "PARSEME:MWE"]; default: those of CoNLL-U',
      ),
    unknown: tagCellOptions.unknown.describe(
      `${tagCellOptions.unknown.description}; default: _ in the column upos, whose tags are never empty`,
    ),
    ...lineOptions,
  })
  .refine(
    ({ tag, columns }) =>
      columns === undefined || tag === 'upos' || isHeld(tag, conlluLayout(columns)),
    {
      path: ['tag'],
      message: 'columns has no such column',
    },
  );
