import * as z from 'zod/mini';
import { TagstreamError } from '../../engine/core/errors.js';
import type { AliasState, ModelVersion } from '../../engine/interfaces/registered-models.js';

const count = z.int().check(z.minimum(0));
const time = z.string();
const scores = z.looseObject({
  accuracy: z.nullable(z.number()),
  f1: z.optional(z.nullable(z.number())),
});

const facts = z.looseObject({
  format: count,
  scorer: z.string(),
  structure: z.string(),
  scheme: z.string(),
  labels: count,
  features: count,
  weights: count,
  sentences: z.nullable(count),
  input: z.optional(z.string()),
  passes: count,
  scores: z.optional(scores),
});

const version = z.looseObject({
  number: z.int().check(z.minimum(1)),
  digest: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  bytes: count,
  at: time,
  by: z.string(),
  change: z.string(),
  note: z.optional(z.string()),
  facts,
});

const standing = z.looseObject({
  number: z.int().check(z.minimum(1)),
  digest: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  at: time,
  by: z.string(),
  change: z.string(),
  back: z.nullable(z.int().check(z.minimum(1))),
});

/** @throws TagstreamError `model-damaged` if the entry does not describe a version */
export function readVersion(bytes: Uint8Array, key: string): ModelVersion {
  return read(version, bytes, key) as ModelVersion;
}

/** @throws TagstreamError `model-damaged` if the entry does not describe an alias */
export function readAlias(bytes: Uint8Array, key: string): AliasState {
  return read(standing, bytes, key) as AliasState;
}

function read<Entry>(schema: z.ZodMiniType<Entry>, bytes: Uint8Array, key: string): Entry {
  let entry: unknown;
  try {
    entry = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    entry = undefined;
  }
  const result = schema.safeParse(entry);
  if (result.success) return result.data;
  throw new TagstreamError('model-damaged', `the entry ${key} of the registry cannot be read`, {
    fix: 'use the version of Tagstream that wrote it, or push and promote the model again',
  });
}
