import { TagstreamError } from '../../engine/core/errors.js';
import { suggestion } from '../../engine/core/wording/nearest.js';
import {
  type Fault,
  faults,
  type Policy,
  passingOf,
  policies,
} from '../../formats/bad-records/bad-record.js';
import type { DeadLetterOptions } from '../../runtime/io/dead-letters/dead-letters.js';
import type { BadRecordArguments } from '../options/record-options.js';

/**
 * Returns the policies for bad records: those of the command line, otherwise those of `said`.
 *
 * A policy for all records (`--strict`, `--on-bad skip`) replaces all of `said`; a policy for one
 * kind of error is added to the others. With `--dead-letter`, records without a policy are kept.
 *
 * @param passes whether bad records can be passed on with their error
 * @throws TagstreamError `usage` for an invalid name or number
 * @example
 * const said = { policy: 'skip', policies: { stage: 'fail' } };
 * const { policy, policies } = chosenDeadLetters({ onBad: ['not-json=fail'] }, said);
 * [policy, policies] // => ['skip', { stage: 'fail', 'not-json': 'fail' }]
 * chosenDeadLetters({ onBad: ['fail', 'stage=skip'] }, said).policies // => ({ stage: 'skip' })
 */
export function chosenDeadLetters(
  given: BadRecordArguments,
  said: DeadLetterOptions,
  passes = false,
): DeadLetterOptions {
  const { all, named } = onBadOf(given);
  if (!passes && passingOf({ policy: all ?? 'skip', policies: named }) !== undefined) {
    throw new TagstreamError('usage', '--on-bad pass: this command writes no tagged records', {
      fix: 'use skip or dead-letter; pass works with tag and run, when tagging NDJSON',
    });
  }
  const kept: Policy | undefined = given.deadLetter === undefined ? undefined : 'dead-letter';
  return {
    policy: all ?? kept ?? said.policy,
    policies: { ...(all === undefined ? said.policies : {}), ...named },
    file: given.deadLetter ?? said.file,
    maxBytes: numberOf('dead-letter-bytes', given.deadLetterBytes, 2 ** 20) ?? said.maxBytes,
    keep: numberOf('dead-letter-keep', given.deadLetterKeep, 0) ?? said.keep,
    maxErrorRate: rateOf(given.maxErrorRate) ?? said.maxErrorRate,
    after: numberOf('error-rate-after', given.errorRateAfter, 1) ?? said.after,
    maxBadInRow: numberOf('max-bad-in-row', given.maxBadInRow, 0) ?? said.maxBadInRow,
    optionNames: namesOf(given, said),
    now: said.now ?? (() => new Date()),
  };
}

/**
 * Returns the names under which limits appear on the command line, except for those set by a
 * pipeline file.
 */
function namesOf(given: BadRecordArguments, said: DeadLetterOptions) {
  const isOfFile = said.maxErrorRate !== undefined;
  const isRateOfFile = isOfFile && given.maxErrorRate === undefined;
  const isRowOfFile = isOfFile && given.maxBadInRow === undefined;
  return {
    maxErrorRate: isRateOfFile ? 'maxErrorRate' : '--max-error-rate',
    maxBadInRow: isRowOfFile ? 'maxBadInRow' : '--max-bad-in-row',
  };
}

interface OnBad {
  readonly all: Policy | undefined;
  readonly named: Readonly<Partial<Record<Fault, Policy>>>;
}

function onBadOf({ strict, onBad = [] }: BadRecordArguments): OnBad {
  let all: Policy | undefined = strict === true ? 'fail' : undefined;
  const named: Partial<Record<Fault, Policy>> = {};
  for (const text of onBad) {
    const [first = '', ...rest] = text.split('=');
    if (rest.length > 0) {
      named[knownOf('kind of fault', first, Object.keys(faults) as Fault[])] = knownOf(
        'policy',
        rest.join('='),
        policies,
      );
      continue;
    }
    const policy = knownOf('policy', first, policies);
    if (strict === true && policy !== 'fail') {
      throw new TagstreamError('usage', `--strict cannot be combined with --on-bad ${policy}`, {
        fix: 'leave one of them out',
      });
    }
    all = policy;
  }
  return { all, named };
}

function knownOf<Name extends string>(what: string, name: string, known: readonly Name[]): Name {
  const found = known.find(item => item === name);
  if (found !== undefined) return found;
  throw new TagstreamError('usage', `--on-bad: unknown ${what} "${name}"`, {
    fix: suggestion(name, known),
  });
}

function rateOf(rate: number | undefined): number | undefined {
  if (rate === undefined || (rate >= 0 && rate <= 1)) return rate;
  throw new TagstreamError('usage', `--max-error-rate: ${rate} is not a share`, {
    fix: 'give a number from 0 to 1',
  });
}

function numberOf(name: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return value;
  throw new TagstreamError('usage', `--${name}: ${value} is not allowed`, {
    fix: `give a whole number of at least ${least}`,
  });
}
