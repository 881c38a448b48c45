import type { ErrorCode } from '../../core/errors.js';
import { type Fault, faultsOf } from './fault.js';

/** What can be done with a bad record. */
export const policies = ['fail', 'skip', 'dead-letter', 'pass'] as const;

/**
 * `fail` ends the run with the record's error, `skip` counts the record and continues, `dead-letter` also
 * keeps it, `pass` writes it with its error among the results, where records are tagged as NDJSON.
 */
export type Policy = (typeof policies)[number];

/** Policies by fault. */
export interface FaultPolicies {
  /** For every fault that `policies` does not name. */
  readonly policy: Policy;
  /** `wrong-shape` is for all faults of that class but those that are named too. */
  readonly policies?: { readonly [Kind in Fault]?: Policy | undefined } | undefined;
}

/**
 * What to do with a record that has an error of this code.
 *
 * @example
 * const chosen = { policy: 'fail', policies: { 'wrong-shape': 'skip', 'not-a-number': 'dead-letter' } };
 * ['empty-sentence', 'not-a-number', 'not-json'].map(code => policyFor(code, chosen)) // => ['skip', 'dead-letter', 'fail']
 */
export function policyFor(code: ErrorCode, chosen: FaultPolicies): Policy {
  return namedPolicy(code, chosen) ?? chosen.policy;
}

/** The policy that names the fault, or its class, if one does. */
export function namedPolicy(code: ErrorCode, { policies }: FaultPolicies): Policy | undefined {
  const named = faultsOf(code).find(fault => policies?.[fault] !== undefined);
  return named === undefined ? undefined : policies![named];
}

/** What is needed to tell which bad records are written with their error; undefined where none is. */
export function passingOf({ policy, policies = {} }: FaultPolicies): FaultPolicies | undefined {
  const passes = policy === 'pass' || Object.values(policies).includes('pass');
  return passes ? { policy, policies } : undefined;
}

/** Whether any record is kept. */
export function keepsSome({ policy, policies = {} }: FaultPolicies): boolean {
  return policy === 'dead-letter' || Object.values(policies).includes('dead-letter');
}
