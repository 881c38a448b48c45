import { TagstreamError } from '../../engine/core/errors.js';
import { passingOf } from '../../formats/bad-records/bad-record.js';
import { traitsOf } from '../../formats/codecs/format-traits.js';
import { requireFieldsApart } from '../../formats/codecs/ndjson/record-fields.js';
import type { DeadLetterOptions } from '../../runtime/io/dead-letters/dead-letters.js';
import type { CodecChoice } from '../../runtime/pipeline/catalogue/codec-of.js';
import { type ArgumentsOf, text } from './option-kinds.js';

/** Options of commands that tag records of other programs. */
export const fieldOptions = {
  'text-field': text(
    'field of NDJSON records that has the text, such as message or log.message; other fields except the id are ignored',
  ),
  into: text('write all results under this key of NDJSON records, and leave the rest unchanged'),
} as const;

export type FieldArguments = ArgumentsOf<typeof fieldOptions>;

/** Returns whether a field argument is given, which requires NDJSON records. */
export function hasFields({ textField, into }: FieldArguments): boolean {
  return textField !== undefined || into !== undefined;
}

/**
 * Adds the given fields to a format.
 *
 * @throws TagstreamError `usage` for a format other than NDJSON, `config` if results would replace the text
 */
export function withFields(format: CodecChoice, { textField, into }: FieldArguments): CodecChoice {
  if (!hasFields({ textField, into })) return format;
  if (traitsOf(format.name).hasFields !== true) throw noFields(format.name, { textField, into });
  const options = {
    ...format.options,
    ...(textField === undefined ? {} : { textField }),
    ...(into === undefined ? {} : { into }),
  };
  requireFieldsApart(options);
  return { ...format, options };
}

/** Returns the reason why a format does not support these arguments. */
export function noFields(format: string, { textField }: FieldArguments): TagstreamError {
  const option = textField === undefined ? '--into' : '--text-field';
  return new TagstreamError('usage', `${option}: records of the format ${format} have no fields`, {
    fix: 'leave it out, or read NDJSON: --format ndjson',
  });
}

/** The output of a run that tags. */
export interface WrittenRecords {
  readonly format: string;
  /** The format that records are written in, if it is not that of the input. */
  readonly to?: string | undefined;
  readonly output?: string | undefined;
}

/**
 * Rejects passing on bad records with their error if the output cannot contain the error.
 *
 * @param given description of the output: record format, another format that it is converted to, whole or in shortest form
 * @throws TagstreamError `usage`
 */
export function refusePassing(
  policies: DeadLetterOptions,
  { format, to, output }: WrittenRecords,
): void {
  if (passingOf(policies) === undefined) return;
  if (to !== undefined) {
    throw new TagstreamError(
      'usage',
      '--on-bad pass cannot be combined with another output format',
      { fix: 'use skip or dead-letter, or write the format of the input' },
    );
  }
  if (traitsOf(format).hasFields !== true) {
    throw new TagstreamError(
      'usage',
      `--on-bad pass: the format ${format} has no field for an error`,
      {
        fix: 'use skip or dead-letter, or read NDJSON',
      },
    );
  }
  if (output === 'tags') {
    throw new TagstreamError('usage', '--on-bad pass cannot be combined with --output tags', {
      fix: 'leave --output out: with tags there is no field for errors',
    });
  }
}
