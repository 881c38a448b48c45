import type * as z from 'zod/v4/core';
import { isSecretName, redacted } from '../secrets.js';
import { suggestion } from '../wording/nearest.js';

/** Maximum characters of invalid text shown in a message. */
const longestShown = 60;

/** Replaces the value of a secret option in messages. */
const secretInput = Symbol('a hidden value');

/** Names of types in messages. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map (key: value)',
  record: 'a map (key: value)',
  null: 'nothing',
};

/**
 * Returns the message for a value that does not fit a schema: what was expected, and what was found.
 *
 * @example
 * schemaMessages({ code: 'invalid_type', expected: 'number', input: 'ten', path: [] }) // => 'expected a number, got "ten"'
 * schemaMessages({ code: 'too_small', origin: 'number', minimum: 1, inclusive: true, input: 0, path: [] }) // => 'expected at least 1, got 0'
 */
export function schemaMessages(issue: z.$ZodRawIssue): string | undefined {
  const name = issue.path?.findLast(step => typeof step === 'string') ?? '';
  const isSecret = isSecretName(String(name)) && typeof issue.input !== 'object';
  const input = isSecret && issue.input !== undefined ? secretInput : issue.input;
  switch (issue.code) {
    case 'invalid_type':
      return expected(typeNames[issue.expected] ?? `a value of type ${issue.expected}`, input);
    case 'invalid_value': {
      const names = issue.values.map(value => String(value));
      if (names.length === 1 || typeof input !== 'string') {
        return expected(names.length === 1 ? names[0]! : `one of ${names.join(', ')}`, input);
      }
      return `there is no ${shown(input)}: ${suggestion(input, names)}`;
    }
    case 'too_small':
      return expected(
        sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum),
        input,
      );
    case 'too_big':
      return expected(
        sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum),
        input,
      );
    case 'not_multiple_of':
      return expected(`a multiple of ${issue.divisor}`, input);
    case 'unrecognized_keys': {
      const [key] = issue.keys;
      return `unknown key "${key}"`;
    }
    case 'invalid_union': {
      const firsts = issue.errors.flatMap(([first]) => (first === undefined ? [] : [first]));
      const kinds = firsts.map(first =>
        first.code === 'invalid_type' && first.path.length === 0
          ? typeNames[first.expected]
          : undefined,
      );
      const known = [...new Set(kinds.filter(kind => kind !== undefined))];
      if (known.length > 0) return expected(known.join(' or '), input);
      return firsts[0]?.message;
    }
    case 'invalid_format':
      return `${shown(input)} does not have the expected form`;
    default:
      return undefined;
  }
}

function expected(what: string, input: unknown): string {
  return input === undefined
    ? `missing: expected ${what}`
    : `expected ${what}, got ${shown(input)}`;
}

/** Returns a bound of a number, or of the length of a text or list, in words. */
function sized(origin: string, comparison: string, bound: number | bigint): string {
  if (origin === 'string') {
    return bound === 1 && comparison === 'at least'
      ? 'a non-empty string'
      : `a string of ${comparison} ${bound} characters`;
  }
  if (origin === 'array' || origin === 'set') {
    return `a list of ${comparison} ${bound} ${Number(bound) === 1 ? 'item' : 'items'}`;
  }
  return `${comparison} ${bound}`;
}

/** Returns a value as shown in messages: its kind, or a short text or number itself. */
export function shown(input: unknown): string {
  if (input === null || input === undefined) return 'nothing';
  if (Array.isArray(input)) return input.length === 0 ? 'an empty list' : 'a list';
  if (typeof input === 'object') return 'a map';
  if (typeof input === 'symbol') return input.description ?? 'a symbol';
  const text = redacted(typeof input === 'string' ? JSON.stringify(input) : String(input));
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}...`;
}
