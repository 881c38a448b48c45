import type { ErrorCode } from '../../engine/core/errors.js';
import type { Fault } from './bad-record.js';

/** Human-readable reasons for rejecting records, for the page of reasons and the dashboard. */
export interface Reason {
  /** Explanation of the fault. */
  readonly meaning: string;
  /** Example of a record rejected for this reason. */
  readonly example?: string;
  /** Suggested fix. */
  readonly fix: string;
}

/** A reason for each fault. */
export const reasons: Readonly<Record<Fault, Reason>> = {
  'not-json': {
    meaning: 'The line is not valid JSON. Often a record is cut off, or spans several lines.',
    example: '{"tokens": ["Anna", "lives"',
    fix: 'Write each record as one line of JSON. If the file has another format, name it with --format.',
  },
  'not-an-object': {
    meaning: 'The line is valid JSON, but a list, a string, a number or null.',
    example: '["Anna", "lives"]',
    fix: 'Write an object: {"tokens": ["Anna", "lives"]}. For lines of plain text use --format text.',
  },
  'too-long': {
    meaning:
      'The record has more bytes than maxLineBytes allows. Only its first 65,536 bytes are kept.',
    fix: 'Split the record, or raise maxLineBytes of the source.',
  },
  'invalid-utf8': {
    meaning: 'The bytes are not UTF-8. In the example, é is the single byte E9 of Latin-1.',
    example: '{"text": "café"}',
    fix: 'Convert the input first: iconv -f latin1 -t utf-8 FILE.',
  },
  'wrong-shape': {
    meaning: 'A field is missing or has the wrong type, or a line has too few columns.',
    example: '{"tokens": "Anna lives"}',
    fix: 'Give tokens as a list, or a text as "text". For columns, name them in the order of the file: --format "conll:{columns: [form, tag]}".',
  },
  'length-mismatch': {
    meaning: 'A list has more or fewer items than there are tokens: tags, offsets or a column.',
    example: '{"tokens": ["Anna", "lives"], "tags": ["B-PER"]}',
    fix: 'Give one item for each token; the tag of a token may be null.',
  },
  'empty-sentence': {
    meaning:
      'The record has no words. NDJSON allows that; formats of one word a line cannot hold it.',
    example: '{"tokens": []}',
    fix: 'Drop the record, or skip such records with --on-bad empty-sentence=skip.',
  },
  'unknown-column': {
    meaning: 'A template of the model asks for a column that the record does not have.',
    example: '{"tokens": ["Anna"], "columns": {}}',
    fix: 'Add the column that the model was trained with; inspect MODEL shows its templates.',
  },
  'not-a-number': {
    meaning: 'A column of numbers has a value that is not a finite number.',
    example: '{"tokens": ["Anna", "lives"], "columns": {"size": [4, null]}}',
    fix: 'Give a number for each token. A column holds only numbers or only strings.',
  },
  'unknown-label': {
    meaning:
      'A tag does not fit the labels of the model, for example one that marks no span with encode: bioes; or the model has no labels yet.',
    example: '{"tokens": ["Anna"], "tags": ["NOUN"]}',
    fix: 'Correct the tag. If the model has no labels, train it, or start from a trained one.',
  },
  constraint: {
    meaning:
      'The constraints name a token that is not there, a label that the model lacks, or leave no possible sequence of labels.',
    example: '{"tokens": ["Anna"], "constraints": {"3": ["B-PER"]}}',
    fix: 'Number tokens from 0, use labels of the model, and keep to its tag scheme or use --transitions any.',
  },
  unmatched: {
    meaning: 'A label came later than its record, and no record with its id waits for it.',
    example: '{"id": "no such record", "tags": ["O"]}',
    fix: 'Give the label the id of its record. If labels come late, let more records wait: keep, bytes and age of the join.',
  },
  stage: {
    meaning:
      'The record could be read, but a stage of the pipeline failed on it, for example a plug-in that threw an error.',
    fix: 'Read the message: it names the stage. Mend the plug-in or the record, then replay the dead letters with --replay FILE.',
  },
  'too-large': {
    meaning:
      'The sentence has more tokens than maxTokens allows, its links of three or more tokens have too many combinations of labels, or its scores do not fit into memory.',
    fix: 'Split the sentence, raise maxTokens, or link fewer tokens.',
  },
  numeric: {
    meaning: 'The scores of the sentence are not finite numbers.',
    example: '{"tokens": ["Anna"], "columns": {"size": [1e308]}}',
    fix: 'Scale numeric columns, for example to a range of -1 to 1, in training and tagging alike.',
  },
  quarantined: {
    meaning:
      'The process died repeatedly while it worked on this record, so that it is not tried again.',
    fix: 'Keep the record with --dead-letter FILE and report it; the rest of the stream continues.',
  },
};

/**
 * Returns the reason for an error code; undefined for errors of a run rather than a record.
 *
 * @example
 * reasonFor('empty-sentence')?.example // => '{"tokens": []}'
 * reasonFor('config') // => undefined
 */
export function reasonFor(code: ErrorCode): Reason | undefined {
  return Object.hasOwn(reasons, code) ? reasons[code as Fault] : undefined;
}
