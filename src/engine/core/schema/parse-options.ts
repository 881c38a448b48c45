import type * as z from 'zod';
import { TagstreamError } from '../errors.js';
import { suggestion } from '../wording/nearest.js';
import { schemaMessages } from './schema-messages.js';

/**
 * Validates `value` with `schema`, and fills in defaults.
 *
 * @throws TagstreamError `config` that names the first invalid option
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: schemaMessages });
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const where = [what, ...issue.path.map(String)].join('.');
  const known =
    issue.path.length === 0 && 'shape' in schema ? Object.keys(schema.shape as object) : [];
  if (issue.code === 'unrecognized_keys' && known.length > 0) {
    const key = issue.keys[0]!;
    throw new TagstreamError('config', `${where}.${key}: ${issue.message}`, {
      fix: suggestion(key, known),
    });
  }
  throw new TagstreamError('config', `${where}: ${issue.message}`);
}
