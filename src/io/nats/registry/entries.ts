import * as z from 'zod/mini';
import { TagstreamError } from '../../../core/errors.js';
import type { Figure } from '../../../core/figures.js';
import { versionId } from './model-address.js';

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

/** Facts about a model file that are available without reading its weights. */
export interface ModelFacts {
  /** Version of the file format. */
  readonly format: number;
  readonly scorer: string;
  readonly structure: string;
  /** Scheme of its tags: BIO, BIOES, IO or none. */
  readonly scheme: string;
  readonly labels: number;
  readonly features: number;
  /** Number of nonzero weights. */
  readonly weights: number;
  /** Number of sentences in its training data; null if unknown. */
  readonly sentences: number | null;
  /** Format of the training data, such as `conll`. */
  readonly input?: string | undefined;
  /** Number of training passes that are recorded in the file. */
  readonly passes: number;
  /** Scores on held-out data, in percent, after the last pass that has any. */
  readonly scores?: { readonly accuracy: Figure; readonly f1?: Figure | undefined } | undefined;
}

/** A version of a model, identified by its number and the content of its file. */
export interface RegisteredVersion {
  /** Number from 1, in the order in which versions of the name were pushed. */
  readonly number: number;
  /** SHA-256 of the file in hexadecimal. */
  readonly digest: string;
}

/** A version of a model with the facts about its file. */
export interface ModelVersion extends RegisteredVersion {
  readonly bytes: number;
  /** Time of the push, and its author: `user@host`. */
  readonly at: string;
  readonly by: string;
  /** Token that distinguishes this push from all others. */
  readonly change: string;
  readonly note?: string | undefined;
  readonly facts: ModelFacts;
}

/** The version that an alias has had since one of its changes. */
export interface AliasState {
  readonly number: number;
  readonly digest: string;
  readonly at: string;
  readonly by: string;
  /** Token that distinguishes this change from all others. */
  readonly change: string;
  /** Revision of the state to which a rollback returns; null for the first. */
  readonly back: number | null;
}

/** Formats a version for people: `3 (4f1c9a2b3c4d)`. */
export function versionText({ number, digest }: RegisteredVersion): string {
  return `${number} (${versionId(digest)})`;
}

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
