import * as z from 'zod';
import { shown } from '../../../core/schema/schema-messages.js';
import { suggestion } from '../../../core/wording/nearest.js';
import { lineOptions } from '../../lines/line-options.js';
import { tagCellOptions } from '../tag-cell-options.js';

/** The columns of CoNLL-U after ID and FORM, in the order of the file. */
export const conlluColumns = [
  'lemma',
  'upos',
  'xpos',
  'feats',
  'head',
  'deprel',
  'deps',
  'misc',
] as const;

export type ConlluColumn = (typeof conlluColumns)[number];

/** Where the tags of CoNLL-U are: a column, or an attribute in FEATS or MISC. */
export interface TagPlace {
  readonly column: ConlluColumn;
  readonly attribute?: string;
}

/**
 * The place that the option `tag` names; undefined for one that there is not.
 *
 * @example
 * tagPlaceOf('misc.name') // => ({ column: 'misc', attribute: 'name' })
 * ['upos', 'upos.x', 'form'].map(tagPlaceOf) // => [{ column: 'upos' }, undefined, undefined]
 */
export function tagPlaceOf(tag: string): TagPlace | undefined {
  const [, name, attribute] = /^(feats|misc)\.([^\s|=]+)$/.exec(tag) ?? [];
  if (attribute !== undefined) return { column: name as ConlluColumn, attribute };
  const column = conlluColumns.find(each => each === tag);
  return column === undefined ? undefined : { column };
}

/**
 * The value of an attribute in a cell as `SpaceAfter=No|name=B-LOC`; undefined where it has none.
 *
 * @example
 * attributeOf('SpaceAfter=No|name=B-LOC', 'name') // => 'B-LOC'
 */
export function attributeOf(cell: string, name: string): string | undefined {
  const found = cell.split('|').find(each => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/**
 * A cell with another value of an attribute, or without it; all others stay.
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

/** Cells in a row. */
export const conlluWidth = conlluColumns.length + 2;

/** Place of a column in a row, from 0. */
export function cellIndex(column: ConlluColumn): number {
  return conlluColumns.indexOf(column) + 2;
}

/** Whether a row is a word, and not a multiword token (`1-2`), an empty node (`8.1`) or a comment. */
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
      'the column that holds the tags, or an attribute, as `misc.name` for `SpaceAfter=No|name=B-LOC`, where words without it are `O`; _ is a value of feats and misc in sentences with parts of speech, elsewhere a sentence of nothing but _ has no tags',
    ),
  ...tagCellOptions,
  unknown: tagCellOptions.unknown.describe(
    `${tagCellOptions.unknown.description}; default: _ in the column upos, whose tags are never empty`,
  ),
  ...lineOptions,
});

/** A token as it is in the text of a sentence. */
export interface SurfaceToken {
  /** What a tokenizer can find: words that make up the token between them, or the token itself. */
  readonly parts: readonly string[];
  /** Whether a space follows it. */
  readonly isSpaced: boolean;
}

/**
 * The tokens that the text of a CoNLL-U sentence consists of. The words of a multiword token count where their forms make up
 * the token, as `do` and `n't`; else the token itself counts, as `du`, which is `de` and `le`. Empty nodes are left out.
 *
 * @param raw the lines of the sentence
 * @example
 * const row = (id, form, misc = '_') => [id, form, ...Array(7).fill('_'), misc].join('\t');
 * const rows = [row('1-2', "don't", 'SpaceAfter=No'), row(1, 'do'), row(2, "n't"), row(3, '!')];
 * surfaceTokens(rows.join('\n'))
 * // => [{ parts: ['do', "n't"], isSpaced: false }, { parts: ['!'], isSpaced: true }]
 */
export function surfaceTokens(raw: string): SurfaceToken[] {
  return surfaceWords(raw).map(({ form, words, isSpaced }) => ({
    parts: words.join('') === form ? words : [form],
    isSpaced,
  }));
}

/** A token of the text of a CoNLL-U sentence, and the words of one that is several. */
export interface SurfaceWords {
  readonly form: string;
  readonly last: number;
  /** None of a token that is a word itself. */
  readonly words: readonly string[];
  readonly isSpaced: boolean;
}

/** The tokens that the text of a CoNLL-U sentence consists of; empty nodes are left out. */
export function surfaceWords(raw: string): SurfaceWords[] {
  const found: (SurfaceWords & { readonly words: string[] })[] = [];
  for (const line of raw.split('\n')) {
    const cells = line.split('\t');
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(cells[0]!) ?? [];
    if (first === undefined || cells.length !== conlluWidth) continue;
    const form = cells[1]!;
    const before = found.at(-1);
    if (before !== undefined && Number(first) <= before.last) before.words.push(form);
    else {
      const isSpaced = isSpacedAfter(cells[conlluWidth - 1]!);
      found.push({ form, last: Number(last), words: [], isSpaced });
    }
  }
  return found;
}

/**
 * Whether a space follows a token, by its column MISC.
 *
 * @example
 * isSpacedAfter('Gloss=a|SpaceAfter=No') // => false
 */
export function isSpacedAfter(misc: string): boolean {
  return !/(?:^|\|)SpaceAfter=No(?:\||$)/.test(misc);
}
