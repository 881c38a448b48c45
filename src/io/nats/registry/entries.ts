import * as z from 'zod/mini';
import { TagstreamError } from '../../../core/errors.js';
import { versionId } from './model-address.js';

const count = z.int().check(z.minimum(0));
const time = z.string();
const scores = z.looseObject({ accuracy: z.number(), f1: z.optional(z.number()) });

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

/** What is known about a model file without reading its weights. */
export interface ModelFacts {
  /** Version of the format of the file. */
  readonly format: number;
  readonly scorer: string;
  readonly structure: string;
  /** Of its tags: BIO, BIOES, IO or none. */
  readonly scheme: string;
  readonly labels: number;
  readonly features: number;
  /** The number of nonzero weights. */
  readonly weights: number;
  /** Sentences that it was trained on; null if unknown. */
  readonly sentences: number | null;
  /** The format of their file, as `conll`. */
  readonly input?: string | undefined;
  /** Passes over them that are recorded in the file. */
  readonly passes: number;
  /** Of held-out data, in percent, after the last pass that has scores. */
  readonly scores?: { readonly accuracy: number; readonly f1?: number | undefined } | undefined;
}

/** Which version of a model it is: a file by its content. */
export interface RegisteredVersion {
  /** From 1, in the order in which versions of the name were pushed. */
  readonly number: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
}

/** A version of a model, with what is known about it. */
export interface ModelVersion extends RegisteredVersion {
  readonly bytes: number;
  /** When it was pushed, and by whom: `user@host`. */
  readonly at: string;
  readonly by: string;
  /** Distinguishes this push from all others. */
  readonly change: string;
  readonly note?: string | undefined;
  readonly facts: ModelFacts;
}

/** The version of an alias since one of its changes. */
export interface AliasState {
  readonly number: number;
  readonly digest: string;
  readonly at: string;
  readonly by: string;
  /** Distinguishes this change from all others. */
  readonly change: string;
  /** Revision of the state to which a rollback returns; null for the first. */
  readonly back: number | null;
}

/** A version as people read it: `3 (4f1c9a2b3c4d)`. */
export function versionText({ number, digest }: RegisteredVersion): string {
  return `${number} (${versionId(digest)})`;
}

/** @throws TagstreamError `model-damaged` if an entry does not describe a version */
export function readVersion(bytes: Uint8Array, key: string): ModelVersion {
  return read(version, bytes, key) as ModelVersion;
}

/** @throws TagstreamError `model-damaged` if an entry does not describe an alias */
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
