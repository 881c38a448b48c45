import type { ErrorCode } from '../../core/errors.js';

/** What can be wrong with a record, as policies name it, and what each name stands for. */
export const faults = {
  'not-json': 'the line is not valid JSON',
  'not-an-object': 'the line is JSON, but not an object',
  'too-long': 'the record is longer than maxLineBytes',
  'invalid-utf8': 'the bytes are not UTF-8',
  'wrong-shape': 'the record is not as its format has it; the next five are of this kind too',
  'length-mismatch': 'tags, columns or offsets that are not as many as the tokens',
  'empty-sentence': 'a record without a word',
  'unknown-column': 'a column that the templates need is not there',
  'not-a-number': 'a value that has to be a number is none',
  'unknown-label': 'a label that the model does not have',
  constraint: 'what it asks of its labels cannot be',
  stage: 'it could be read, but a stage failed at it; the next three are of this kind too',
  'too-large': 'a sentence of more than maxTokens tokens, or what else would take too much memory',
  numeric: 'its scores are not finite numbers',
  quarantined: 'the process died again and again while it was at work on it',
} as const;

/** A name of `faults`. */
export type Fault = keyof typeof faults;

/** Names that stand for others too. */
const classes: Readonly<Partial<Record<ErrorCode, Fault>>> = {
  'length-mismatch': 'wrong-shape',
  'empty-sentence': 'wrong-shape',
  'unknown-column': 'wrong-shape',
  'not-a-number': 'wrong-shape',
  'unknown-label': 'wrong-shape',
  'too-large': 'stage',
  numeric: 'stage',
  quarantined: 'stage',
};

/**
 * The faults that an error code is a case of, the narrowest first: its own name, and that of the class.
 * Whatever is no fault of a record by itself has failed in a stage.
 *
 * @example
 * faultsOf('not-json') // => ['not-json']
 * faultsOf('empty-sentence') // => ['empty-sentence', 'wrong-shape']
 * faultsOf('numeric') // => ['numeric', 'stage']
 * faultsOf('config') // => ['stage']
 */
export function faultsOf(code: ErrorCode): readonly Fault[] {
  if (!Object.hasOwn(faults, code)) return ['stage'];
  const wider = classes[code];
  return wider === undefined ? [code as Fault] : [code as Fault, wider];
}
