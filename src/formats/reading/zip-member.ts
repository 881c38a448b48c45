import { inflateRawSync } from 'node:zlib';
import { TagstreamError } from '../../engine/core/errors.js';

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;

/**
 * Extracts one file, stored or deflated, from a ZIP archive in memory; does not support ZIP64 and encryption.
 *
 * @param source name of the archive, for errors
 * @param most maximum number of bytes of the file: no more are decompressed
 * @throws TagstreamError `file` if the archive is invalid or lacks the file
 */
export function zipMember(
  archive: Uint8Array,
  name: string,
  source: string,
  most = Number.POSITIVE_INFINITY,
): Uint8Array {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  let tooLong = false;
  try {
    const entry = entryOf(bytes, name);
    if (entry !== undefined && entry.bytes <= most) return unpacked(bytes, entry);
    tooLong = entry !== undefined;
  } catch (cause) {
    throw broken(source, 'it is not a ZIP archive, or it is damaged', cause);
  }
  throw broken(
    source,
    tooLong
      ? `${name} in the archive has more than the expected ${most} bytes`
      : `there is no file ${name} in the archive`,
  );
}

interface Entry {
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/** Returns a file's entry in the directory at the end of the archive; undefined if there is none. */
function entryOf(bytes: Buffer, name: string): Entry | undefined {
  const end = bytes.lastIndexOf(markBytes(endMark));
  if (end < 0) throw new Error('there is no directory');
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== entryMark) throw new Error('the directory is damaged');
    const nameBytes = bytes.readUInt16LE(at + 28);
    if (bytes.toString('utf8', at + 46, at + 46 + nameBytes) === name) {
      return {
        method: bytes.readUInt16LE(at + 10),
        packedBytes: bytes.readUInt32LE(at + 20),
        bytes: bytes.readUInt32LE(at + 24),
        offset: bytes.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return undefined;
}

function unpacked(bytes: Buffer, { method, packedBytes, bytes: size, offset }: Entry): Uint8Array {
  if (bytes.readUInt32LE(offset) !== localMark)
    throw new Error('the file is not at its listed position');
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + packedBytes);
  if (method !== 0 && method !== 8) throw new Error(`unknown compression method ${method}`);
  const whole =
    method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  if (whole.length !== size) throw new Error('the file is cut off');
  return whole;
}

function markBytes(mark: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(mark);
  return bytes;
}

function broken(source: string, problem: string, cause?: unknown): TagstreamError {
  return new TagstreamError('file', problem, {
    place: { source },
    fix: 'fetch it again',
    cause,
  });
}
