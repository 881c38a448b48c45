import * as z from 'zod';
import type { TransportComponent } from '../../../engine/interfaces/loaded-plugin.js';
import { oneOf } from './one-of.js';

/** The destination of tagged records. */
export const sinkOptions = z.strictObject({
  file: z.string().min(1).default('-').describe('where to write; - is the standard output'),
  output: z
    .enum(['record', 'tags'])
    .default('record')
    .describe('record: the record with all results; tags: the id and the tags'),
  redact: z
    .optional(z.string())
    .describe(
      'write the input without results, with each span of its text replaced by this: {label} is the label of the span, {n} its number in the text',
    ),
  only: z
    .union(
      [z.enum(['all', 'unlabelled', 'partial']), z.array(z.enum(['unlabelled', 'partial'])).min(1)],
      // A text is not a list, but it may be a misspelt name.
      {
        error: ({ input, errors }) =>
          typeof input === 'string' && Array.isArray(errors) ? errors[0]?.[0]?.message : undefined,
      },
    )
    .default('all')
    .describe(
      'which records are written: all, those that arrived without any tag (unlabelled), or those that arrived with some tags known (partial); a list for both',
    ),
  rotate: z
    .optional(
      z
        .strictObject({
          bytes: z.int().min(1).optional().describe('maximum bytes of a file'),
          seconds: z
            .optional(
              z
                .number()
                .positive()
                .max(2 ** 31),
            )
            .describe('seconds from the first record of a file until it is closed'),
        })
        .refine(({ bytes, seconds }) => bytes !== undefined || seconds !== undefined, {
          message: 'expected bytes or seconds',
        }),
    )
    .describe(
      'write a series of files, numbered before the ending of file: tagged.000001.ndjson, tagged.000002.ndjson',
    ),
});

/** The sink of a pipeline, checked. */
export interface SinkOptions extends z.output<typeof sinkOptions> {
  /** The format of the records, if it differs from that of the source. */
  readonly format?: string | undefined;
  /** A transport with its options, by name, instead of a file. */
  readonly to?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the sink options with the transports and formats that a pipeline can name.
 *
 * @param formats formats by name, including those of plug-ins
 */
export function sinkOptionsOf(
  transports: readonly TransportComponent[],
  formats: readonly string[],
): z.ZodType<SinkOptions> {
  return sinkOptions
    .extend({
      format: z
        .optional(z.enum(formats))
        .describe('the format of the records that are written, if it is not that of the source'),
      to: z
        .optional(oneOf(transports))
        .describe('the transport that sends the records, each as a message, instead of a file'),
    })
    .refine(({ file, rotate }) => rotate === undefined || file !== '-', {
      message: 'a sink that rotates needs a file',
      path: ['rotate'],
    })
    .refine(({ file, to }) => to === undefined || file === '-', {
      message: 'expected either file or to',
      path: ['to'],
    });
}
