import type { Position } from '../../engine/core/delivery/delivery.js';
import { type ErrorCode, type ErrorPlace, TagstreamError } from '../../engine/core/errors.js';

/** Maximum number of bytes kept of a record that is too long to be held entirely. */
export const rawLimit = 65_536;

/** A record that could not be read or processed: its position, its bytes and its error. */
export interface BadRecord {
  readonly position: Position;
  /** The record's bytes without the line end; only the first ones if `truncated`. */
  readonly raw: Uint8Array;
  readonly truncated: boolean;
  readonly error: TagstreamError;
}

/**
 * Creates a bad record from the record's text or bytes; sets the error's place from `position`. An error whose code is
 * not a record fault is a stage's, and gets the code `stage`.
 *
 * Does not change its inputs.
 *
 * @param truncated whether `raw` is only the beginning of the record, of which the first `rawLimit` bytes are kept
 *
 * @example
 * const position = { source: 'a.ndjson', line: 2, start: 4, end: 8 };
 * const bad = badRecord(position, 'null', new TagstreamError('not-an-object', 'a null'));
 * bad.error.message // => 'a.ndjson:2: a null'
 * bad.raw.length // => 4
 */
export function badRecord(
  position: Position,
  raw: string | Uint8Array,
  error: TagstreamError,
  truncated = false,
): BadRecord {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw;
  return {
    position,
    raw: truncated && bytes.length > rawLimit ? bytes.slice(0, rawLimit) : bytes,
    truncated,
    error: faultOf(error, { source: position.source, line: position.line }),
  };
}

function faultOf(error: TagstreamError, place: ErrorPlace): TagstreamError {
  const [fault] = faultsOf(error.code);
  if (fault === error.code) return error.at(place);
  const { problem, fix } = error;
  return new TagstreamError(fault!, problem, {
    place: { ...place, ...error.place },
    ...(fix === undefined ? {} : { fix }),
    cause: error,
  });
}

/** Record faults by the names that policies use, with their meaning. */
export const faults = {
  'not-json': 'the line is not valid JSON',
  'not-an-object': 'the line is JSON, but not an object',
  'too-long': 'the record is longer than maxLineBytes',
  'invalid-utf8': 'the bytes are not UTF-8',
  'wrong-shape': 'the record does not have the shape of its format; includes the next five',
  'length-mismatch':
    'the number of tags, column values or offsets differs from the number of tokens',
  'empty-sentence': 'a record without words, which its format or the output format does not allow',
  'unknown-column': 'a column that the templates need is missing',
  'not-a-number': 'a value that must be a number is not a number',
  'unknown-label': 'a label unknown to the model',
  constraint: 'its constraints do not fit its tokens, or allow no label sequence',
  unmatched: 'a delayed label whose id matches no waiting record',
  stage: 'the record could be read, but a stage failed on it; includes the next three',
  'too-large':
    'a sentence of more than maxTokens tokens, or anything else that needs too much memory',
  numeric: 'its scores are not finite',
  quarantined: 'the process died repeatedly on this record',
} as const;

/** Name of a record fault. */
export type Fault = keyof typeof faults;

/** Fault classes, each with several faults. */
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
 * Returns the faults that include an error code, the narrowest first: its own name, then its class. Other errors come
 * from a stage.
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

/** The treatments of bad records. */
export const policies = ['fail', 'skip', 'dead-letter', 'pass'] as const;

/**
 * `fail` ends the run with the record's error, `skip` counts the record and continues, `dead-letter` also
 * keeps it, `pass` writes it with its error among the results, when tagging NDJSON.
 */
export type Policy = (typeof policies)[number];

/** Policies by fault. */
export interface FaultPolicies {
  /** Policy for every fault that `policies` does not name. */
  readonly policy: Policy;
  /** Policies of single faults; `wrong-shape` applies to its whole class except faults named separately. */
  readonly policies?: { readonly [Kind in Fault]?: Policy | undefined } | undefined;
}

/**
 * Returns the policy for records with this error code.
 *
 * @example
 * const chosen = { policy: 'fail', policies: { 'wrong-shape': 'skip', 'not-a-number': 'dead-letter' } };
 * ['empty-sentence', 'not-a-number', 'not-json'].map(code => policyFor(code, chosen)) // => ['skip', 'dead-letter', 'fail']
 */
export function policyFor(code: ErrorCode, chosen: FaultPolicies): Policy {
  return namedPolicy(code, chosen) ?? chosen.policy;
}

/** Returns the policy that names the fault or its class, if any. */
export function namedPolicy(code: ErrorCode, { policies }: FaultPolicies): Policy | undefined {
  const named = faultsOf(code).find(fault => policies?.[fault] !== undefined);
  return named === undefined ? undefined : policies![named];
}

/**
 * Returns the data needed to decide which bad records are written with their error; undefined if none
 * are.
 */
export function passingOf({ policy, policies = {} }: FaultPolicies): FaultPolicies | undefined {
  const passes = policy === 'pass' || Object.values(policies).includes('pass');
  return passes ? { policy, policies } : undefined;
}

/** Whether the policies keep any bad records. */
export function keepsSome({ policy, policies = {} }: FaultPolicies): boolean {
  return policy === 'dead-letter' || Object.values(policies).includes('dead-letter');
}
