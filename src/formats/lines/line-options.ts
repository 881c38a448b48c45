import * as z from 'zod';
import { defaultMaxTokens } from '../../engine/core/sentence/sentence-limit.js';
import { defaultMaxLineBytes } from './line-splitter.js';

/** Options of all codecs. */
export const lineOptions = {
  maxLineBytes: z
    .int()
    .min(1)
    .default(defaultMaxLineBytes)
    .describe('maximum size of a record in bytes; a longer one is a bad record'),
  maxTokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      `maximum number of tokens in a sentence; default: ${defaultMaxTokens}; a longer sentence is a bad record, as is a text of more than 16 times as many tokens`,
    ),
};
