import type { ErrorCode } from '../../core/errors.js';

/** What can be wrong with a record, as policies name it, and what each name stands for. */
export const faults = {
  'not-json': 'the line is not valid JSON',
  'not-an-object': 'the line is JSON, but not an object',
  'too-long': 'the record is longer than maxLineBytes',
  'invalid-utf8': 'the bytes are not UTF-8',
  'wrong-shape':
    'the record does not have the shape of its format; the next five are of this kind too',
  'length-mismatch': 'the number of tags, column values or offsets differs from that of the tokens',
  'empty-sentence':
    'a record without words where its format, or the one that is written, needs some',
  'unknown-column': 'a column that the templates need is missing',
  'not-a-number': 'a value that must be a number is not a number',
  'unknown-label': 'a label that the model does not have',
  constraint: 'its constraints do not fit its tokens, or leave no possible sequence of labels',
  stage: 'the record could be read, but a stage failed on it; the next three are of this kind too',
  'too-large':
    'a sentence of more than maxTokens tokens, or anything else that would take too much memory',
  numeric: 'its scores are not finite numbers',
  quarantined: 'the process died repeatedly while it worked on this record',
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
