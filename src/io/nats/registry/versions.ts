import { randomUUID } from 'node:crypto';
import { TagstreamError } from '../../../core/errors.js';
import { type ModelVersion, type RegisteredVersion, readVersion, versionText } from './entries.js';
import { addressText, type ModelAddress, modelName } from './model-address.js';
import { modelFacts } from './model-facts.js';
import type { ModelRegistry } from './open-registry.js';
import { entriesOf, putEntry } from './put-entry.js';
import { sha256, storedFile, storeFile } from './stored-files.js';
import { versionId } from './version-id.js';

/** Who does something, for others: `user@host`. */
export type Doer = string;

/** A file to push. */
export interface Push {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of the file, for errors. */
  readonly source: string;
  readonly by: Doer;
  readonly note?: string | undefined;
}

/**
 * The versions of a model, the oldest first.
 *
 * @throws (rejects with) TagstreamError `connection`, `model-damaged`
 */
export async function versionsOf(registry: ModelRegistry, name: string): Promise<ModelVersion[]> {
  const entries = await entriesOf(registry, `${modelName(name)}.version.*`);
  return [...entries.values()]
    .map(({ value, key }) => readVersion(value, key))
    .sort((a, b) => a.number - b.number);
}

/** The names of all models, in alphabetical order. */
export async function modelNames(registry: ModelRegistry): Promise<string[]> {
  const entries = await entriesOf(registry, '*.version.*');
  return [...new Set([...entries.keys()].map(key => key.split('.')[0]!))].sort();
}

/**
 * Stores a model file as the next version of a name. Bytes that are a version of it already stay that version, and are
 * stored again if they are not whole any more.
 *
 * @returns the version, and whether it is new
 * @throws (rejects with) TagstreamError `connection`, and `model-...` if it is not a model file
 */
export async function pushModel(
  registry: ModelRegistry,
  { name, bytes, source, by, note }: Push,
): Promise<{ readonly version: ModelVersion; readonly isNew: boolean }> {
  const facts = modelFacts(bytes, source);
  const digest = sha256(bytes);
  await storeFile(registry, digest, bytes);
  for (;;) {
    const versions = await versionsOf(registry, name);
    const same = versions.find(version => version.digest === digest);
    if (same !== undefined) return { version: same, isNew: false };
    const number = (versions.at(-1)?.number ?? 0) + 1;
    const at = new Date().toISOString();
    const version: ModelVersion = {
      ...{ number, digest, bytes: bytes.length, at, by, change: randomUUID() },
      ...(note === undefined ? {} : { note }),
      facts,
    };
    // Whoever pushes at the same time and is first takes the number.
    if (await putEntry(registry, `${name}.version.${number}`, version, 0)) {
      return { version, isNew: true };
    }
  }
}

/**
 * The version that a number, an id, or nothing (the newest) names.
 *
 * @throws (rejects with) TagstreamError `config` if there is none
 */
export async function findVersion(
  registry: ModelRegistry,
  address: Omit<ModelAddress, 'alias'>,
): Promise<ModelVersion> {
  const { name, number, id } = address;
  const versions = await versionsOf(registry, name);
  const wanted = versions.findLast(version => {
    if (number !== undefined) return version.number === number;
    return id === undefined || versionId(version.digest) === id;
  });
  if (wanted !== undefined) return wanted;
  if (versions.length === 0) {
    const names = await modelNames(registry);
    throw new TagstreamError('config', `the registry has no model ${name}`, {
      fix: names.length === 0 ? 'push one first' : `it has ${names.join(', ')}`,
    });
  }
  throw new TagstreamError('config', `there is no version ${addressText(address)}`, {
    fix: `the newest is ${versionText(versions.at(-1)!)}`,
  });
}

/**
 * The file of a version, whole.
 *
 * @throws (rejects with) TagstreamError `model-damaged` if the bucket does not have it as it was pushed, `connection`
 */
export async function pullModel(
  registry: ModelRegistry,
  name: string,
  version: RegisteredVersion,
): Promise<Uint8Array> {
  const bytes = await storedFile(registry, version.digest);
  if (bytes !== undefined) return bytes;
  throw new TagstreamError(
    'model-damaged',
    `the bucket ${registry.bucket} does not hold version ${versionText(version)} of ${name} as it was pushed`,
    { fix: 'push its file again, or pull another version' },
  );
}
