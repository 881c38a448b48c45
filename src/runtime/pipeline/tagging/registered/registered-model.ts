import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  addressText,
  type ModelAddress,
  modelAddress,
} from '../../../../engine/interfaces/model-address.js';
import type {
  RegisteredModels,
  RegisteredVersion,
} from '../../../../engine/interfaces/registered-models.js';
import { cacheDirectory, makeDirectory } from '../../../../formats/files/directories.js';
import { contentDigest } from '../../../../formats/files/node-parts.js';
import { atExit } from '../../../../formats/files/remove-at-exit.js';
import { readBytes } from '../../../../formats/reading/read-bytes.js';
import { atomicWrite } from '../../../io/writing/atomic-write.js';
import type { RegistryChoice } from '../../setup/run-options.js';
import { openChosenRegistry } from './open-chosen-registry.js';

/** Called with each version that the alias points to. */
export interface Following {
  /** Tests a file before it is used; if this throws, the old file stays. */
  readonly accept?: ((file: string) => Promise<void>) | undefined;
  /** Called when the file's content is that of another version. */
  readonly onChange: (version: RegisteredVersion) => void;
  /** Called when a version cannot be fetched or is not accepted; the file stays unchanged. */
  readonly onRefused: (error: unknown, version: RegisteredVersion) => void;
}

/** A model from a registry as a file. */
export interface RegisteredModel {
  /** The address as users write it, `NAME@ALIAS`. */
  readonly address: string;
  /** This process's model file. It is replaced as a whole when the alias points to another version. */
  readonly file: string;
  /** The initial version of the file. */
  readonly version: RegisteredVersion;
  /** Follows the alias until the model is closed; has no effect for a fixed version or the newest version. */
  follow(following: Following): void;
  /** Closes the connection, and removes the file. */
  close(): Promise<void>;
}

/**
 * Opens a model from a registry, fetching its file into the cache if it is missing there.
 *
 * @param address `nats://NAME@ALIAS`, `nats://NAME@VERSION`, or `nats://NAME` for the newest version
 * @throws (rejects with) TagstreamError `usage`, `config`, `connection`, `model-damaged`, `file`
 */
export async function openRegisteredModel(
  address: string,
  choice: RegistryChoice,
): Promise<RegisteredModel> {
  const wanted = modelAddress(address);
  const registry = await openChosenRegistry(choice);
  let folder: string | undefined;
  try {
    const version = await registry.resolve(wanted);
    const cached = await cachedModel(registry, wanted.name, version, choice.cache);
    folder = mkdtempSync(join(tmpdir(), 'tagstream-model-'));
    const file = join(folder, addressText(wanted));
    symlinkSync(cached, file);
    return new OpenModel(registry, wanted, { file, version, folder, cache: choice.cache });
  } catch (thrown) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    await registry.close();
    throw thrown;
  }
}

/**
 * Returns the cached file of a registry's model, for one-time use.
 *
 * @throws (rejects with) TagstreamError `usage`, `config`, `connection`, `model-damaged`, `file`
 */
export async function fetchedModel(address: string, choice: RegistryChoice): Promise<string> {
  const wanted = modelAddress(address);
  const registry = await openChosenRegistry(choice);
  try {
    const version = await registry.resolve(wanted);
    return await cachedModel(registry, wanted.name, version, choice.cache);
  } finally {
    await registry.close();
  }
}

interface Opened {
  readonly file: string;
  readonly version: RegisteredVersion;
  readonly folder: string;
  readonly cache: string | undefined;
}

class OpenModel implements RegisteredModel {
  readonly address: string;
  readonly file: string;
  readonly version: RegisteredVersion;
  readonly #registry: RegisteredModels;
  readonly #wanted: ModelAddress;
  readonly #opened: Opened;
  readonly #closing = new AbortController();
  readonly #remove = () => rmSync(this.#opened.folder, { recursive: true, force: true });
  readonly #cancelRemoval: () => void;
  #following: Promise<void> = Promise.resolve();

  constructor(registry: RegisteredModels, wanted: ModelAddress, opened: Opened) {
    this.address = addressText(wanted);
    this.file = opened.file;
    this.version = opened.version;
    this.#registry = registry;
    this.#wanted = wanted;
    this.#opened = opened;
    this.#cancelRemoval = atExit(this.#remove);
  }

  follow(following: Following): void {
    const { name, alias } = this.#wanted;
    if (alias !== undefined) this.#following = this.#follow(name, alias, following);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#registry.close();
    await this.#following;
    this.#remove();
    this.#cancelRemoval();
  }

  async #follow(name: string, alias: string, following: Following): Promise<void> {
    const { signal } = this.#closing;
    let current = this.version.digest;
    for await (const version of this.#registry.watch(name, alias, signal)) {
      if (version.digest === current) continue;
      try {
        const cached = await cachedModel(this.#registry, name, version, this.#opened.cache);
        await following.accept?.(cached);
        if (signal.aborted) return;
        const next = `${this.file}.new`;
        symlinkSync(cached, next);
        renameSync(next, this.file);
        current = version.digest;
        following.onChange(version);
      } catch (thrown) {
        if (!signal.aborted) following.onRefused(thrown, version);
      }
    }
  }
}

/**
 * Returns the cached file of a version, named after the digest of its contents, which is fetched if missing or damaged.
 *
 * @throws (rejects with) TagstreamError `connection`, `model-damaged`, `file`
 */
async function cachedModel(
  registry: RegisteredModels,
  name: string,
  version: RegisteredVersion,
  directory = cacheDirectory(),
): Promise<string> {
  const file = resolve(directory, `${version.digest}.model`);
  if (existsSync(file) && contentDigest([readBytes(file)]) === `sha256:${version.digest}`) {
    return file;
  }
  const bytes = await registry.pull(name, version);
  makeDirectory(directory);
  atomicWrite(file, bytes);
  return file;
}
