import { randomUUID } from 'node:crypto';
import type { QueuedIterator } from '@nats-io/transport-node';
import { TagstreamError } from '../../engine/core/errors.js';
import { aliasName, type ModelAddress, modelName } from '../../engine/interfaces/model-address.js';
import {
  type AliasState,
  type Promotion,
  type RegisteredVersion,
  type StandingAlias,
  versionText,
} from '../../engine/interfaces/registered-models.js';
import { entryOf } from '../connection/buckets.js';
import { MessageBuffer } from '../reading/message-buffer.js';
import { readAlias } from './entries.js';
import { keptChanges, type ModelRegistry } from './open-registry.js';
import { type Doer, entriesOf, findVersion, type StoredEntry, writeEntry } from './versions.js';

/** A change of an alias, and its author. */
export type SignedPromotion = Promotion & { readonly by: Doer };

/** Returns the key of an alias in the bucket. */
export function aliasKey(name: string, alias: string): string {
  return `${modelName(name)}.alias.${aliasName(alias)}`;
}

/** Converts an entry of the bucket to an alias. */
export function aliasOf({ key, value, revision }: StoredEntry): StandingAlias {
  return { ...readAlias(value, key), alias: key.split('.').at(-1)!, revision };
}

/**
 * Returns the state of an alias; undefined if there is none.
 *
 * @throws (rejects with) TagstreamError `connection`, `model-damaged`
 */
export async function standingAlias(
  registry: ModelRegistry,
  name: string,
  alias: string,
): Promise<StandingAlias | undefined> {
  const entry = await entryOf(registry, aliasKey(name, alias));
  return entry && aliasOf(entry);
}

/** Returns a model's aliases in alphabetical order. */
export async function aliasesOf(registry: ModelRegistry, name: string): Promise<StandingAlias[]> {
  const entries = await entriesOf(registry, `${modelName(name)}.alias.*`);
  return [...entries.values()].map(aliasOf).sort((a, b) => (a.alias < b.alias ? -1 : 1));
}

/**
 * Returns the version that an address names, directly or by an alias.
 *
 * @throws (rejects with) TagstreamError `config` if there is no such version or alias, `connection`
 */
export async function resolveAddress(
  registry: ModelRegistry,
  address: ModelAddress,
): Promise<RegisteredVersion> {
  const { name, alias } = address;
  if (alias === undefined) return findVersion(registry, address);
  return (await standingAlias(registry, name, alias)) ?? noAlias(registry, name, alias);
}

/**
 * Sets an alias to a version. Of two simultaneous calls one succeeds.
 *
 * @throws (rejects with) TagstreamError `config` if there is no such version, or if the alias has been changed since,
 *   naming who changed it; `connection`
 */
export async function promote(
  registry: ModelRegistry,
  { number, id, ...promotion }: SignedPromotion & Pick<ModelAddress, 'number' | 'id'>,
): Promise<StandingAlias> {
  const { name, alias } = promotion;
  const before =
    promotion.before === undefined
      ? await standingAlias(registry, name, alias)
      : (promotion.before ?? undefined);
  const version = await findVersion(registry, { name, number, id } as ModelAddress);
  if (before?.digest === version.digest) return before;
  return change(registry, promotion, before, { ...version, back: before?.revision ?? null });
}

/**
 * Sets an alias back to the version before its last promotion; a repeated call goes back one more.
 *
 * @throws (rejects with) TagstreamError `config` if there is no alias or no earlier version, or if it has been
 *   changed since; `connection`
 */
export async function rollback(
  registry: ModelRegistry,
  promotion: SignedPromotion,
): Promise<StandingAlias> {
  const { name, alias } = promotion;
  const before =
    promotion.before ??
    (await standingAlias(registry, name, alias)) ??
    (await noAlias(registry, name, alias));
  if (before.back === null) {
    throw new TagstreamError('config', `${name}@${alias} has no earlier version`, {
      fix: 'promote the version you want',
    });
  }
  const entry = await entryOf(registry, aliasKey(name, alias), before.back);
  if (entry === undefined) {
    throw new TagstreamError(
      'config',
      `the earlier version of ${name}@${alias} is no longer known: only ${keptChanges} changes are kept`,
      { fix: 'promote the version you want' },
    );
  }
  return change(registry, promotion, before, aliasOf(entry));
}

async function change(
  registry: ModelRegistry,
  { name, alias, by }: SignedPromotion,
  before: StandingAlias | undefined,
  { number, digest, back }: Pick<AliasState, 'number' | 'digest' | 'back'>,
): Promise<StandingAlias> {
  const at = new Date().toISOString();
  const state: AliasState = { number, digest, at, by, change: randomUUID(), back };
  const key = aliasKey(name, alias);
  const isWritten = await writeEntry(registry, key, state, before?.revision ?? 0);
  const now = await standingAlias(registry, name, alias);
  if (isWritten) return now?.change === state.change ? now : { ...state, alias, revision: 0 };
  const won =
    now === undefined
      ? 'it was removed'
      : `${now.by} set it to version ${versionText(now)} at ${now.at}`;
  throw new TagstreamError('config', `${name}@${alias} was changed at the same time: ${won}`, {
    fix: 'check whether that is right; if not, repeat the command',
  });
}

async function noAlias(registry: ModelRegistry, name: string, alias: string): Promise<never> {
  const aliases = await aliasesOf(registry, name);
  // Reports a missing model first.
  if (aliases.length === 0) await findVersion(registry, { name });
  throw new TagstreamError('config', `the model ${name} has no alias ${alias}`, {
    fix:
      aliases.length === 0
        ? `promote a version: tagstream models promote ${name} VERSION ${alias}`
        : `it has ${aliases.map(each => each.alias).join(', ')}`,
  });
}

/** Milliseconds between polls of an alias, in addition to watching it, so that no change is missed for long. */
const lookAgain = 10_000;

/** Milliseconds before updates are requested again if the servers stop sending them. */
const pause = 500;

/**
 * Yields an alias, and again after each change, until the signal is aborted. Of changes in quick succession, only the
 * last may be seen. Waits while no server answers, or the alias cannot be read.
 *
 * @throws (rejects with) TagstreamError `usage` for an invalid name or alias
 */
export async function* watchAlias(
  registry: ModelRegistry,
  name: string,
  alias: string,
  signal: AbortSignal,
): AsyncGenerator<StandingAlias, void, undefined> {
  const key = aliasKey(name, alias);
  const states = new MessageBuffer<StandingAlias>();
  let last = 0;
  const look = () =>
    standingAlias(registry, name, alias).then(
      state => {
        if (state !== undefined) states.put(state);
      },
      // The next read reports the fault if it persists.
      () => undefined,
    );
  const looking = setInterval(look, lookAgain);
  const stop = () => states.end();
  signal.addEventListener('abort', stop, { once: true });
  void listen(registry, key, signal, states);
  try {
    await look();
    while (!signal.aborted) {
      const found = await states.take();
      if (found.length === 0) return;
      for (const state of found) {
        if (state.revision <= last) continue;
        last = state.revision;
        yield state;
      }
    }
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
  }
}

/** Puts the servers' updates of a key into a buffer, and resubscribes when they end. */
async function listen(
  { connection, keys }: ModelRegistry,
  key: string,
  signal: AbortSignal,
  states: MessageBuffer<StandingAlias>,
): Promise<void> {
  let news: QueuedIterator<unknown> | undefined;
  signal.addEventListener('abort', () => news?.stop(), { once: true });
  while (!signal.aborted && !connection.core.isClosed()) {
    try {
      const entries = await keys.watch({ key });
      news = entries;
      if (signal.aborted) return entries.stop();
      for await (const entry of entries) {
        if (entry.operation === 'PUT') states.put(aliasOf(entry));
      }
    } catch {
      // Restarting servers, or an invalid entry: reading the alias reports that.
    }
    if (!signal.aborted) await new Promise(resolve => setTimeout(resolve, pause));
  }
}
