import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chosenDeadLetters } from '../../../src/cli/files/chosen-dead-letters.js';
import { type ErrorCode, TagstreamError } from '../../../src/engine/core/errors.js';
import {
  badRecord,
  faults,
  faultsOf,
  policies,
} from '../../../src/formats/bad-records/bad-record.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { deadLetterOptions } from '../../../src/runtime/pipeline/options/dead-letter-options.js';
import { root } from '../../cli/commands/run-command.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Codes that a record can have, and the keys that a policy for it can stand under. */
const kinds: readonly [ErrorCode, readonly string[]][] = [
  ['not-json', ['not-json']],
  ['not-an-object', ['not-an-object']],
  ['too-long', ['too-long']],
  ['invalid-utf8', ['invalid-utf8']],
  ['wrong-shape', ['wrong-shape']],
  ['length-mismatch', ['length-mismatch', 'wrong-shape']],
  ['constraint', ['constraint']],
  ['empty-sentence', ['empty-sentence', 'wrong-shape']],
  ['unknown-column', ['unknown-column', 'wrong-shape']],
  ['not-a-number', ['not-a-number', 'wrong-shape']],
  ['unknown-label', ['unknown-label', 'wrong-shape']],
  ['unmatched', ['unmatched']],
  ['stage', ['stage']],
  ['numeric', ['numeric', 'stage']],
  ['too-large', ['too-large', 'stage']],
  ['quarantined', ['quarantined', 'stage']],
];

const position = { source: 'in.ndjson', line: 7, start: 10, end: 14 };
const bad = (code: ErrorCode) => badRecord(position, 'null', new TagstreamError(code, 'wrong'));

/** What becomes of one record: the policy as it shows. */
function outcome(deadLetters: DeadLetters, code: ErrorCode, file: string) {
  let thrown: unknown;
  try {
    deadLetters.add(bad(code));
  } catch (error) {
    thrown = error;
  }
  deadLetters.close();
  const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  rmSync(file, { force: true });
  expect(deadLetters.counts).toEqual({ [code]: 1 });
  expect(deadLetters.kept).toBe(kept);
  return { thrown: (thrown as TagstreamError | undefined)?.code, kept };
}

describe.each(kinds)('%s', (code, keys) => {
  it('is of these kinds of fault, the narrowest first', () => {
    expect(faultsOf(code)).toEqual(keys);
  });

  it.each(policies)('%s: as its policy says, whatever the others say', policy => {
    const file = join(folder, 'bad.ndjson');
    const expected = {
      fail: { thrown: code, kept: 1 },
      skip: { thrown: undefined, kept: 0 },
      'dead-letter': { thrown: undefined, kept: 1 },
      pass: { thrown: undefined, kept: 1 },
    }[policy];
    const other = policy === 'skip' ? 'fail' : 'skip';
    const named = (names: readonly string[], value: typeof policy) =>
      Object.fromEntries(names.map(name => [name, value]));
    // By default, by its own name, by that of its class, and against all other names.
    expect(outcome(new DeadLetters({ policy, file }), code, file)).toEqual(expected);
    for (const key of keys) {
      const own = new DeadLetters({ policy: other, policies: named([key], policy), file });
      expect(outcome(own, code, file)).toEqual(expected);
    }
    const rest = Object.keys(faults).filter(name => !keys.includes(name));
    const against = new DeadLetters({ policy, policies: named(rest, other), file });
    expect(outcome(against, code, file)).toEqual(expected);
    // The narrower of two names decides.
    const [narrow, wide] = keys;
    if (wide === undefined) return;
    const both = { [narrow!]: policy, [wide]: other };
    const two = new DeadLetters({ policy: other, policies: both, file });
    expect(outcome(two, code, file)).toEqual(expected);
  });

  it('ends a run without a file, which keeps nothing', () => {
    const deadLetters = new DeadLetters({
      policy: 'skip',
      policies: { [faultsOf(code)[0]!]: 'fail' },
    });
    expect(() => deadLetters.add(bad(code))).toThrowError('in.ndjson:7: wrong');
    expect(deadLetters.kept).toBe(0);
  });
});

it('knows a meaning for each fault, and a code for each', () => {
  const named = new Set(kinds.flatMap(([, keys]) => keys));
  expect(Object.keys(faults).sort()).toEqual([...named].sort());
});

it('has a name in options for whatever code a rejected record can be reported with', () => {
  const source = readFileSync(join(root, 'src/engine/core/errors.ts'), 'utf8');
  const union = /export type ErrorCode =([^;]*);/.exec(source)![1]!;
  const codes = [...union.matchAll(/'([a-z0-9-]+)'/g)].map(([, code]) => code as ErrorCode);
  expect(codes).toEqual(expect.arrayContaining(Object.keys(faults)));
  for (const code of codes) {
    const reported = bad(code).error.code;
    const { policies: chosen } = chosenDeadLetters(
      { onBad: [`${reported}=skip`] },
      { policy: 'fail' },
    );
    expect(chosen).toEqual({ [reported]: 'skip' });
    expect(deadLetterOptions.parse({ policies: chosen }).policies).toEqual(chosen);
    const deadLetters = new DeadLetters({ policy: 'fail', policies: chosen });
    deadLetters.add(bad(code));
    expect(deadLetters.counts).toEqual({ [reported]: 1 });
  }
});

it('refuses to keep records without a file', () => {
  const make = () => new DeadLetters({ policy: 'skip', policies: { stage: 'dead-letter' } });
  expect(make).toThrowError('the policy keeps bad records, but no file is named');
});

it('takes nothing that comes after the record that ended the run', () => {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  deadLetters.pass(9);
  expect(() => deadLetters.add(bad('stage'), 5)).toThrowError('wrong');
  expect(() => deadLetters.add(bad('not-json'), 6)).toThrowError('wrong');
  expect(deadLetters.counts).toEqual({ stage: 1 });
  expect(() => deadLetters.add(bad('not-json'), 3)).toThrowError('wrong');
  expect(deadLetters.counts).toEqual({ 'not-json': 1, stage: 1 });
});
