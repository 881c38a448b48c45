import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { schemaMessages } from '../../../../src/engine/core/schema/schema-messages.js';

/** What a schema says of a value. */
function said(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value, { error: schemaMessages });
  return result.error!.issues[0]!.message;
}

describe('what a schema says of a value that does not fit', () => {
  it.each([
    [z.number(), 'ten', 'expected a number, got "ten"'],
    [z.int(), 0.5, 'expected a whole number, got 0.5'],
    [z.string(), ['a'], 'expected a string, got a list'],
    [z.string(), null, 'expected a string, got nothing'],
    [z.boolean(), { a: 1 }, 'expected true or false, got a map'],
    [z.array(z.string()), 5, 'expected a list, got 5'],
    [z.array(z.string()).min(1), [], 'expected a list of at least 1 item, got an empty list'],
    [z.strictObject({}), 'a', 'expected a map (key: value), got "a"'],
    [z.strictObject({}), undefined, 'missing: expected a map (key: value)'],
    [z.literal(1), 2, 'expected 1, got 2'],
    [
      z.enum(['all', 'observed']),
      'obs',
      'there is no "obs": did you mean observed? known: all, observed',
    ],
    [z.enum(['all', 'observed']), 'zzzzzz', 'there is no "zzzzzz": known: all, observed'],
    [z.enum(['all', 'observed']), 5, 'expected one of all, observed, got 5'],
    [z.number().min(1), 0, 'expected at least 1, got 0'],
    [z.number().positive(), -1, 'expected more than 0, got -1'],
    [z.number().lt(1), 1, 'expected less than 1, got 1'],
    [z.int().max(64), 65, 'expected at most 64, got 65'],
    [z.int(), 2 ** 60, 'expected at most 9007199254740991, got 1152921504606847000'],
    [z.string().min(1), '', 'expected a non-empty string, got ""'],
    [z.number().multipleOf(2), 3, 'expected a multiple of 2, got 3'],
    [z.union([z.boolean(), z.int()]), 'x', 'expected true or false or a number, got "x"'],
    [z.strictObject({ a: z.string() }), { a: 'x', b: 1 }, 'unknown key "b"'],
    [z.string().regex(/^a$/), 'b', '"b" does not have the expected form'],
    [z.string().regex(/^a$/, 'only a'), 'b', 'only a'],
  ])('%#: %j', (schema, value, message) => {
    expect(said(schema, value)).toBe(message);
  });

  it('shows the beginning of a long text', () => {
    expect(said(z.number(), 'a'.repeat(100))).toBe(`expected a number, got "${'a'.repeat(59)}...`);
  });
});
