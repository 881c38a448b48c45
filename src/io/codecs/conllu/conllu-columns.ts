import * as z from 'zod';
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
    .enum(conlluColumns)
    .default('upos')
    .describe(
      'the column that holds the tags; _ is a value of feats and misc in sentences with parts of speech, elsewhere a sentence of nothing but _ has no tags',
    ),
  ...tagCellOptions,
  unknown: tagCellOptions.unknown.describe(
    `${tagCellOptions.unknown.description}; default: _ in the column upos, whose tags are never empty`,
  ),
  ...lineOptions,
});
