import * as z from 'zod';

/** Options of formats with a column of tags, for partially labelled sentences. */
export const tagCellOptions = {
  unknown: z
    .string()
    .min(1)
    .optional()
    .describe('text for an unknown tag, such as `?` or `_`; training sums over all tags there'),
  alternatives: z
    .string()
    .min(1)
    .optional()
    .describe('separator of alternative tags of a token, such as `|` in `O|I-PER`; default: none'),
  iob1: z
    .boolean()
    .optional()
    .describe(
      'the tags are IOB1, as in CoNLL-2003: B- stands only between two spans of one type; they are read as BIO',
    ),
};
