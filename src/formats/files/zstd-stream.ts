import type { Transform } from 'node:stream';
import { TagstreamError } from '../../engine/core/errors.js';
import { zlib } from './node-parts.js';

/** Zstandard functions, available from Node 22.15 on. */
type Zstd = Readonly<
  Partial<Record<'createZstdCompress' | 'createZstdDecompress', () => Transform>>
>;

/**
 * Creates a stream that compresses or decompresses with Zstandard.
 *
 * @param name name of the file, for errors
 * @param made implementation; the process's `node:zlib` if absent
 * @throws TagstreamError `file` if this version of Node does not support it
 */
export function zstdStream(
  does: 'pack' | 'unpack',
  name: string,
  made: Zstd = zlib() as Zstd,
): Transform {
  const create = does === 'pack' ? made.createZstdCompress : made.createZstdDecompress;
  if (create !== undefined) return create();
  throw new TagstreamError(
    'file',
    `${name} is compressed with Zstandard, which needs Node 22.15 or later (this is ${process.versions.node})`,
    { fix: does === 'pack' ? 'write .gz' : 'decompress it with zstd -d, or use gzip' },
  );
}
