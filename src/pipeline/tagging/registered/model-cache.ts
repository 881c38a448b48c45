import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { cacheDirectory } from '../../../io/files/cache-directory.js';
import { contentDigest } from '../../../io/files/content-digest.js';
import { makeDirectory } from '../../../io/files/make-directory.js';
import type { RegisteredVersion } from '../../../io/nats/registry/entries.js';
import type { ModelRegistry } from '../../../io/nats/registry/open-registry.js';
import { pullModel } from '../../../io/nats/registry/versions.js';
import { readBytes } from '../../../io/reading/read-bytes.js';
import { atomicWrite } from '../../../io/writing/atomic-write.js';

/**
 * The file of a version in the cache: it is named after the digest of its content, and fetched where it is not there, or
 * not whole.
 *
 * @throws (rejects with) TagstreamError `connection`, `model-damaged`, `file`
 */
export async function cachedModel(
  registry: ModelRegistry,
  name: string,
  version: RegisteredVersion,
  directory = cacheDirectory(),
): Promise<string> {
  const file = resolve(directory, `${version.digest}.model`);
  if (existsSync(file) && contentDigest([readBytes(file)]) === `sha256:${version.digest}`) {
    return file;
  }
  const bytes = await pullModel(registry, name, version);
  makeDirectory(directory);
  atomicWrite(file, bytes);
  return file;
}
