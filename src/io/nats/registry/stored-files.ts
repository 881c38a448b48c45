import { createHash } from 'node:crypto';
import { keepTrying } from '../connection/keep-trying.js';
import { type ModelRegistry, objectStream } from './open-registry.js';

/** Milliseconds without a byte after which a download begins again. */
const stall = 10_000;

/** SHA-256 of bytes, in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The bytes of a model file as they were pushed; undefined where they are not there, or are not those.
 *
 * @param digest SHA-256 of the file, which what was read is compared with
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
 * Stores a model file by its digest; where it is whole already nothing is sent. It can be read from when the last of its
 * bytes is stored, so that a store that breaks off leaves nothing to be read.
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

/** The bytes of an object, right or wrong; undefined where it is not there or parts of it are not. */
async function readOnce(
  { connection, bucket, objects }: ModelRegistry,
  name: string,
): Promise<Uint8Array | undefined> {
  const info = await objects.info(name);
  if (info === null || info.deleted) return undefined;
  // A reader waits for parts that are gone.
  const filter = `$O.${bucket}.C.${info.nuid}`;
  const { state } = await connection.manager.streams.info(objectStream(bucket), {
    subjects_filter: filter,
  });
  if ((state.subjects?.[filter] ?? 0) !== info.chunks) return undefined;
  const found = await objects.get(name);
  if (found === null) return undefined;
  const reader = found.data.getReader();
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return Buffer.concat(parts);
      parts.push(value);
    }
  } catch (thrown) {
    void reader.cancel().catch(() => undefined);
    if (thrown instanceof Error && /digests do not match/.test(thrown.message)) return undefined;
    throw thrown;
  } finally {
    found.error.catch(() => undefined);
  }
}

async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout: no byte has come')), stall);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
