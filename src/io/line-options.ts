import * as z from 'zod';
import { defaultMaxLineBytes } from './lines.js';

/** Options that every codec has. */
export const lineOptions = {
  maxLineBytes: z
    .int()
    .min(1)
    .default(defaultMaxLineBytes)
    .describe('longest record that is taken, in bytes; a longer one is a bad record'),
};
