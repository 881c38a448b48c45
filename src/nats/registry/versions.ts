import { createHash, randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { KvEntry } from '@nats-io/kv';
import { TagstreamError } from '../../engine/core/errors.js';
import { structureOf } from '../../engine/inference/structures/structures.js';
import {
  addressText,
  type ModelAddress,
  modelName,
  versionId,
} from '../../engine/interfaces/model-address.js';
import {
  type ModelFacts,
  type ModelVersion,
  type Push,
  type RegisteredVersion,
  versionText,
} from '../../engine/interfaces/registered-models.js';
import { modelHeaderOf, newestFormatVersion } from '../../engine/models/files/model-header.js';
import { readNotes } from '../../engine/models/files/model-notes.js';
import { readSections } from '../../engine/models/files/section-file.js';
import { detectScheme } from '../../engine/text/tags/detect-scheme.js';
import { bytesOf, entryOf, putEntry } from '../connection/buckets.js';
import { keepTrying } from '../connection/keep-trying.js';
import { readVersion } from './entries.js';
import { type ModelRegistry, objectStream } from './open-registry.js';

/** The author of an action, as shown to others: `user@host`. */
export type Doer = string;

/** Returns the author for this process's actions: `user@host`. */
export function whoThisIs(): Doer {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    // In a container the user may have no name.
    user = String(process.getuid?.() ?? 'somebody');
  }
  return `${user}@${hostname()}`;
}

/**
 * Returns the versions of a model, oldest first.
 *
 * @throws (rejects with) TagstreamError `connection`, `model-damaged`
 */
export async function versionsOf(registry: ModelRegistry, name: string): Promise<ModelVersion[]> {
  const entries = await entriesOf(registry, `${modelName(name)}.version.*`);
  return [...entries.values()]
    .map(({ value, key }) => readVersion(value, key))
    .sort((a, b) => a.number - b.number);
}

/** Returns the names of all models, in alphabetical order. */
export async function modelNames(registry: ModelRegistry): Promise<string[]> {
  const entries = await entriesOf(registry, '*.version.*');
  return [...new Set([...entries.keys()].map(key => key.split('.')[0]!))].sort();
}

/**
 * Stores a model file as the next version of a name. Bytes that are already a version of the name remain that version,
 * and are stored again if the stored file is damaged.
 *
 * @returns the version, and whether it is new
 * @throws (rejects with) TagstreamError `connection`, and `model-...` if it is not a model file
 */
export async function pushModel(
  registry: ModelRegistry,
  { name, bytes, source, by, note }: Push & { readonly by: Doer },
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
    // Of simultaneous pushes, the first gets the number.
    if (await writeEntry(registry, `${name}.version.${number}`, version, 0)) {
      return { version, isNew: true };
    }
  }
}

/**
 * Returns the version with a number or an id; without either, the newest.
 *
 * @throws (rejects with) TagstreamError `config` if there is no such version
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
 * Returns the whole file of a version.
 *
 * @throws (rejects with) TagstreamError `model-damaged` if the bucket no longer has the file as it was pushed,
 *   `connection`
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
    `the bucket ${registry.bucket} has no intact copy of version ${versionText(version)} of ${name}`,
    { fix: 'push its file again, or pull another version' },
  );
}

/**
 * Returns the facts that a registry stores about a model file in addition to its bytes.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`
 */
export function modelFacts(bytes: Uint8Array, source: string): ModelFacts {
  const file = readSections(bytes, newestFormatVersion, source);
  const { spec, labels, stateFeatures, nonZeroWeights, trainingSentences, transitions } =
    modelHeaderOf(file, source);
  const { history } = readNotes(file, stateFeatures, source);
  const scores = history.findLast(pass => pass.scores !== undefined)?.scores;
  return {
    format: new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true),
    scorer: spec.scorer ?? 'linear',
    structure: structureOf(spec).name,
    scheme: transitions?.scheme ?? detectScheme(labels),
    labels: labels.length,
    features: stateFeatures,
    weights: nonZeroWeights,
    sentences: trainingSentences,
    input: spec.input?.codec as string | undefined,
    passes: history.length,
    ...(scores === undefined
      ? {}
      : {
          scores: {
            accuracy: scores.accuracy,
            ...(scores.f1 === undefined ? {} : { f1: scores.f1 }),
          },
        }),
  };
}

/** An entry of the bucket of keys. */
export type StoredEntry = Pick<KvEntry, 'key' | 'value' | 'revision'>;

/** Returns the newest states of all entries whose keys match, by key. */
export async function entriesOf(
  { connection, keys }: ModelRegistry,
  filter: string,
): Promise<Map<string, StoredEntry>> {
  return keepTrying(connection, `read ${filter}`, async () => {
    const found = new Map<string, StoredEntry>();
    for await (const entry of await keys.history({ key: filter })) {
      if (entry.operation === 'PUT') found.set(entry.key, entry);
      else found.delete(entry.key);
    }
    return found;
  });
}

/**
 * Writes an entry if it is unchanged since it was read: of several simultaneous writers one succeeds.
 *
 * @param before the revision that was read; 0 if there was no entry
 * @param value value that distinguishes this write from all others
 * @returns whether it was written
 * @throws (rejects with) TagstreamError `connection`
 */
export async function writeEntry(
  registry: ModelRegistry,
  key: string,
  value: object,
  before: number,
): Promise<boolean> {
  const text = JSON.stringify(value);
  if (await putEntry(registry, key, text, before)) return true;
  // The current value may be this very write, whose acknowledgement was lost.
  const now = await entryOf(registry, key);
  return now !== undefined && new TextDecoder().decode(now.value) === text;
}

/** Returns the SHA-256 of bytes in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Returns the bytes of a model file as pushed; undefined if they are missing or differ.
 *
 * @param digest SHA-256 of the file, with which the bytes are compared
 * @throws (rejects with) TagstreamError `connection`
 */
export async function storedFile(
  registry: ModelRegistry,
  digest: string,
): Promise<Uint8Array | undefined> {
  const { connection } = registry;
  const bytes = await keepTrying(connection, `read the model ${digest.slice(0, 12)}`, () =>
    readOnce(registry, digest),
  );
  return bytes !== undefined && sha256(bytes) === digest ? bytes : undefined;
}

/**
 * Stores a model file under its digest; if it is already stored intact, nothing is sent. The file becomes readable once
 * its last byte is stored, so an interrupted call leaves nothing readable.
 *
 * @throws (rejects with) TagstreamError `connection`
 */
export async function storeFile(
  registry: ModelRegistry,
  digest: string,
  bytes: Uint8Array,
): Promise<void> {
  if ((await storedFile(registry, digest)) !== undefined) return;
  const { connection, objects } = registry;
  await keepTrying(connection, `store the model ${digest.slice(0, 12)}`, () =>
    objects.putBlob({ name: digest }, bytes),
  );
}

/** Returns the bytes of an object, unverified; undefined if the object or parts of it are missing. */
async function readOnce(
  { connection, bucket, objects }: ModelRegistry,
  name: string,
): Promise<Uint8Array | undefined> {
  const info = await objects.info(name);
  if (info === null || info.deleted) return undefined;
  // A reader would wait forever for missing parts.
  const filter = `$O.${bucket}.C.${info.nuid}`;
  const { state } = await connection.manager.streams.info(objectStream(bucket), {
    subjects_filter: filter,
  });
  if ((state.subjects?.[filter] ?? 0) !== info.chunks) return undefined;
  const found = await objects.get(name);
  if (found === null) return undefined;
  try {
    return await bytesOf(found);
  } catch (thrown) {
    if (thrown instanceof Error && /digests do not match/.test(thrown.message)) return undefined;
    throw thrown;
  }
}
