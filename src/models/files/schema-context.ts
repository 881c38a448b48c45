import type * as z from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';

/**
 * How schemas read what stands in a model file: it is read once, so that no code is made for it, and whatever
 * else has been loaded, messages are in English.
 */
export const schemaContext: z.ParseContext<z.$ZodIssue> = {
  jitless: true,
  error: en().localeError,
};
