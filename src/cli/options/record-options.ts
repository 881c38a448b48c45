import { TagstreamError } from '../../engine/core/errors.js';
import { type ArgumentsOf, flag, number, text, texts } from './option-kinds.js';

/** Options of every command that reads a stream. */
export const badRecordOptions = {
  strict: flag('fail at the first bad record'),
  'on-bad': texts(
    'what to do with bad records: fail, skip, dead-letter, or pass (write the record with its error, when tagging NDJSON); for one kind only: not-json=skip, wrong-shape=fail, stage=dead-letter',
  ),
  'dead-letter': text('append bad records to this file, with position and reason'),
  'dead-letter-bytes': number('size at which the dead-letter file is rotated to FILE.1'),
  'dead-letter-keep': number('rotated dead-letter files to keep'),
  'max-error-rate': number(
    'maximum share of bad records, 0 to 1; the run ends when it is exceeded',
  ),
  'error-rate-after': number('records to read before that share is first checked'),
  'max-bad-in-row': number('maximum number of consecutive bad records; default: 1000; 0: no limit'),
} as const;

export type BadRecordArguments = ArgumentsOf<typeof badRecordOptions>;

/** The option of every command that reads records one after the other. */
export const limitOption = {
  limit: number('maximum number of records to read, as if the input ended there', {
    coerce: countOf,
    conflicts: 'resume',
  }),
} as const;

export type LimitArguments = ArgumentsOf<typeof limitOption>;

/** Returns the option of commands that tokenize texts. */
export function tokenizerOption(usual: string) {
  return text(
    `tokenizer for texts without tokens: regex, treebank, unicode, whitespace, characters, or a model file with a learned tokenizer, or of characters whose tags mark words [default: ${usual}]`,
  );
}

export const localeOption = text(
  'language of the texts: elision, abbreviations and ordinals [default: en]',
);

/** @throws TagstreamError `usage` unless the value is a positive whole number */
function countOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new TagstreamError('usage', `--limit ${String(value)} is not a number of records`, {
    fix: 'give one whole number of at least 1',
  });
}
