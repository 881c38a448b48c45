import * as z from 'zod';
import { oneOf } from '../options/one-of.js';
import type { SourceComponent } from '../sources/source-component.js';

const strings = z.array(z.string()).min(1);
const percent = z.number().min(0).max(100);

const span = z
  .strictObject({
    label: z.string().describe('its label'),
    text: z.string().min(1).optional().describe('the text from its first to its last token'),
    start: z.int().min(0).optional().describe('its first token, from 0'),
    end: z.int().min(1).optional().describe('the token after its last'),
  })
  .describe('an expected span; only the given fields are compared');

/**
 * One test of a pipeline's model: a sentence and its expected tags or spans, or data and minimum scores on it.
 */
export const checkOptions = (sources: readonly SourceComponent[]) =>
  z
    .strictObject({
      name: z.string().min(1).optional().describe('what the check is for'),
      text: z.string().min(1).optional().describe('raw text to be tagged'),
      tokens: strings.optional().describe('tokens to be tagged, instead of text'),
      columns: z
        .optional(z.record(z.string(), z.union([z.array(z.string()), z.array(z.number())])))
        .describe('further columns of the tokens'),
      tags: strings.optional().describe('the expected tags, one per token'),
      spans: z.array(span).optional().describe('all expected spans, in order'),
      on: oneOf(sources).optional().describe('labelled data, as a source'),
      minimum: z
        .optional(
          z
            .strictObject({
              accuracy: percent.optional().describe('minimum percentage of correct tags'),
              precision: percent.optional().describe('minimum precision of spans, in percent'),
              recall: percent.optional().describe('minimum recall of spans, in percent'),
              f1: percent.optional().describe('minimum F1 of spans, in percent'),
            })
            .refine(
              scores => Object.keys(scores).length > 0,
              'give accuracy, precision, recall or f1',
            ),
        )
        .describe('the minimum scores on this data'),
    })
    .superRefine((check, context) => {
      const problem = problemOf(check);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });

interface Parts {
  readonly text?: unknown;
  readonly tokens?: unknown;
  readonly columns?: unknown;
  readonly tags?: unknown;
  readonly spans?: unknown;
  readonly on?: unknown;
  readonly minimum?: unknown;
}

function problemOf({ text, tokens, columns, tags, spans, on, minimum }: Parts): string | undefined {
  const isSentence = text !== undefined || tokens !== undefined;
  if (isSentence === (on !== undefined)) {
    return 'a check has either a sentence (text or tokens) or data (on)';
  }
  if (!isSentence) {
    if (minimum === undefined) return 'a check on data needs minimum: the least scores';
    return tags === undefined && spans === undefined && columns === undefined
      ? undefined
      : 'tags, spans and columns are for a sentence, not for data';
  }
  if (text !== undefined && tokens !== undefined) return 'either text or tokens, not both';
  if (minimum !== undefined) return 'minimum is for data (on), not for a sentence';
  if (tags === undefined && spans === undefined) return 'a sentence needs tags or spans to expect';
  return columns !== undefined && tokens === undefined
    ? 'columns need tokens: text is cut into tokens first'
    : undefined;
}

export type Check = z.output<ReturnType<typeof checkOptions>>;
