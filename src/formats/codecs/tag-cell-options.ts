import * as z from 'zod';
import { givenText } from '../../engine/core/schema/option-kinds.js';
import { isTagForm } from '../../engine/text/tags/tag-form.js';

/** Options for the written form of span tags. */
export const tagFormOptions = {
  spanTags: z
    .string()
    .refine(isTagForm, 'B or X, a separator such as - _ : / . | #, and the other: B_X, X-B')
    .optional()
    .describe(
      'how the first tag of a span of type X is written, if not `B-X`: `B_X`, `B:X`, `X-B`; tags are read as `B-X`',
    ),
  outside: z
    .string()
    .optional()
    .describe('the tag outside all spans, if not `O`: `_`, `-`, `OTHER`; it is read as `O`'),
};

/** Options of formats with a column of tags, for partially labelled sentences. */
export const tagCellOptions = {
  unknown: givenText(
    'text for an unknown tag, such as `?` or `_`; training sums over all tags there',
  ),
  alternatives: givenText(
    'separator of alternative tags of a token, such as `|` in `O|I-PER`; default: none',
  ),
  ...tagFormOptions,
  iob1: z
    .boolean()
    .optional()
    .describe(
      'the tags are IOB1, as in CoNLL-2003: B- only separates adjacent spans of one type; they are read as BIO',
    ),
};
