import { createHash } from 'node:crypto';
import { createReadStream, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory, syncDirectory } from '../../../formats/files/directories.js';
import { fileError } from '../../../formats/files/file-error.js';
import {
  BrokenTransfer,
  type Downloaded,
  type DownloadOptions,
  downloadError,
  PartialFile,
  pauseBefore,
  transfer,
} from './transfer.js';

/**
 * Downloads and verifies a file. A partial download is kept if the transfer breaks, and the next call resumes it; the
 * file gets its final name only when it is complete and verified.
 *
 * @throws TagstreamError `file` if the server has no such file, the transfer keeps breaking,
 *   size or digest differ (the download is then kept as `TARGET.wrong`), or writing fails
 */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  const { target } = options;
  const part = new PartialFile(target);
  try {
    makeDirectory(dirname(target));
    await transferred(part, options);
    const found = await fileDigest(part.path);
    requireRight(part, found, options);
    renameSync(part.path, target);
    part.forgetVersion();
    syncDirectory(dirname(target));
    return found;
  } catch (cause) {
    throw fileError('write', target, cause);
  }
}

/** Requests the remaining bytes, again as long as more arrive, and at most `retries` times in a row without any. */
async function transferred(part: PartialFile, options: DownloadOptions): Promise<void> {
  const { url, retries = 3, pause } = options;
  let failures = 0;
  for (;;) {
    const before = part.bytes;
    try {
      await transfer(part, options);
      return;
    } catch (error) {
      if (!(error instanceof BrokenTransfer)) throw error;
      failures = part.bytes > before ? 1 : failures + 1;
      if (failures > retries) {
        const kept = part.bytes === 0 ? '' : `; ${part.bytes} bytes are kept`;
        throw downloadError(
          url,
          `${error.message}${kept}`,
          part.bytes === 0
            ? 'check that this machine is online; behind a proxy Node 24 needs NODE_USE_ENV_PROXY=1'
            : 'run the command again: it resumes where this one stopped',
          error,
        );
      }
      await pauseBefore(failures, pause);
    }
  }
}

function requireRight(part: PartialFile, found: Downloaded, options: DownloadOptions): void {
  const { url, sha256, bytes, target } = options;
  const wrongSize = bytes !== undefined && found.bytes !== bytes;
  if (!wrongSize && (sha256 === undefined || found.sha256 === sha256)) return;
  renameSync(part.path, `${target}.wrong`);
  part.forgetVersion();
  const problem = wrongSize
    ? `received ${found.bytes} bytes, expected ${bytes}`
    : `its SHA-256 is ${found.sha256}, expected ${sha256}`;
  throw downloadError(
    url,
    problem,
    `the file differs from the catalogue; the download is in ${target}.wrong`,
  );
}

/**
 * Computes the SHA-256 and the size of a file in one pass.
 *
 * @throws TagstreamError `file` if it cannot be read
 * @example
 * (await fileDigest('/dev/null')).bytes // => 0
 */
export async function fileDigest(path: string): Promise<Downloaded> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (cause) {
    throw fileError('read', path, cause);
  }
  return { sha256: hash.digest('hex'), bytes };
}
