import { createRequire } from 'node:module';
import * as z from 'zod';
import { TagstreamError } from '../../engine/core/errors.js';
import { schemaMessages } from '../../engine/core/schema/schema-messages.js';

/** The used part of a zod object schema, from any copy of zod. */
interface ObjectSchema {
  readonly _zod: {
    readonly def: {
      readonly type: string;
      readonly shape: Readonly<Record<string, z.ZodType>>;
      readonly checks?: readonly unknown[];
    };
  };
  safeParse(
    value: unknown,
    context: { readonly error: typeof schemaMessages },
  ): { readonly success: boolean; readonly error?: z.ZodError };
}

/**
 * Returns the options of a component as a strict object schema, from its zod schema or JSON Schema. Unknown keys are
 * rejected; refinements of the whole object still apply.
 *
 * @param what the component, for the error
 * @throws TagstreamError `config` if it is neither kind of schema
 */
export function optionsSchema(given: unknown, what: string): z.ZodObject {
  if (given === undefined) return z.strictObject({});
  const schema = (isZod(given) ? given : ofJson(given, what)) as ObjectSchema;
  const { type, shape, checks = [] } = schema._zod.def;
  if (type !== 'object') {
    throw wrongOptions(what, `a schema of type ${type}`);
  }
  const strict = z.strictObject({ ...shape });
  if (checks.length === 0) return strict;
  return strict.superRefine((value, context) => {
    const own = Object.fromEntries(Object.keys(shape).map(key => [key, value[key]]));
    const checked = schema.safeParse(own, { error: schemaMessages });
    for (const { path, message } of checked.error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
}

function isZod(given: unknown): boolean {
  return typeof given === 'object' && given !== null && '_zod' in given;
}

function ofJson(given: unknown, what: string): unknown {
  if (typeof given !== 'object' || given === null) {
    throw wrongOptions(what, given === null ? 'null' : `a ${typeof given}`);
  }
  try {
    // Loaded on demand, because it pulls in all of zod, of which a page needs only a small part.
    const zod = createRequire(import.meta.url)('zod') as typeof z;
    return zod.fromJSONSchema(given as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (cause) {
    throw wrongOptions(what, `an invalid JSON Schema (${String(cause)})`, cause);
  }
}

function wrongOptions(what: string, found: string, cause?: unknown): TagstreamError {
  return new TagstreamError('config', `${what} has ${found} as its options schema`, {
    fix: 'give a zod 4 schema or a JSON Schema of an object',
    cause,
  });
}
