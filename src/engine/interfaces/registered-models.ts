import type { Figure } from '../core/figures.js';
import { type ModelAddress, versionId } from './model-address.js';

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

/** Current state of an alias. */
export interface StandingAlias extends AliasState {
  readonly alias: string;
  /** Revision, which rises with each change. */
  readonly revision: number;
}

/** A model file to push, with its name and note. */
export interface Push {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Name of the file, for errors. */
  readonly source: string;
  readonly note?: string | undefined;
}

/** A change of an alias. */
export interface Promotion {
  readonly name: string;
  readonly alias: string;
  /** State of the alias when the change was decided; default: the current state. Null: it did not exist. */
  readonly before?: StandingAlias | null | undefined;
}

/**
 * Models with their versions and aliases on servers. All methods reject with `connection` if no server answers, and
 * with `model-damaged` if an entry cannot be read.
 */
export interface RegisteredModels {
  /** Whether the connection is closed for good, so that the registry has to be opened again. */
  readonly isClosed: boolean;
  /** Returns the names of all models, in alphabetical order. */
  names(): Promise<readonly string[]>;
  /** Returns the versions of a model, oldest first. */
  versions(name: string): Promise<readonly ModelVersion[]>;
  /** Returns a model's aliases in alphabetical order. */
  aliases(name: string): Promise<readonly StandingAlias[]>;
  /** Returns the state of an alias; undefined if there is none. */
  alias(name: string, alias: string): Promise<StandingAlias | undefined>;
  /**
   * Returns the version that an address names, directly or by an alias.
   *
   * @throws (rejects with) TagstreamError `config` if there is no such version or alias
   */
  resolve(address: ModelAddress): Promise<RegisteredVersion>;
  /**
   * Returns the whole file of a version.
   *
   * @throws (rejects with) TagstreamError `model-damaged` if the file is no longer stored as it was pushed
   */
  pull(name: string, version: RegisteredVersion): Promise<Uint8Array>;
  /**
   * Stores a model file as the next version of a name. Bytes that are already a version of the name remain that version.
   *
   * @returns the version, and whether it is new
   * @throws (rejects with) TagstreamError `model-...` if it is not a model file
   */
  push(push: Push): Promise<{ readonly version: ModelVersion; readonly isNew: boolean }>;
  /**
   * Sets an alias to a version. Of two simultaneous calls one succeeds.
   *
   * @throws (rejects with) TagstreamError `config` if there is no such version, or if the alias has been changed since
   */
  promote(promotion: Promotion & Pick<ModelAddress, 'number' | 'id'>): Promise<StandingAlias>;
  /**
   * Sets an alias back to the version before its last promotion; a repeated call goes back one more.
   *
   * @throws (rejects with) TagstreamError `config` if there is no alias or no earlier version, or if it has been
   *   changed since
   */
  rollback(promotion: Promotion): Promise<StandingAlias>;
  /** Yields an alias, and again after each change, until the signal is aborted. Waits while no server answers. */
  watch(name: string, alias: string, signal: AbortSignal): AsyncIterable<StandingAlias>;
  close(): Promise<void>;
}
