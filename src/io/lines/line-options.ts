import * as z from 'zod';
import { defaultMaxTokens } from '../../core/sentence/sentence-limit.js';
import { defaultMaxLineBytes } from './lines.js';

/** Options that every codec has. */
export const lineOptions = {
  maxLineBytes: z
    .int()
    .min(1)
    .default(defaultMaxLineBytes)
    .describe('longest record that is taken, in bytes; a longer one is a bad record'),
  maxTokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      `most tokens of a sentence, by default ${defaultMaxTokens}; a longer one is a bad record, and so is a text of 16 times as many`,
    ),
};
