import { TagstreamError } from '../../engine/core/errors.js';

/**
 * Returns whether bytes begin like gzip data.
 *
 * @example
 * [isGzip(Uint8Array.of(0x1f, 0x8b, 8)), isGzip(Uint8Array.of(0x1f))] // => [true, false]
 */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Returns whether bytes begin like a Zstandard frame.
 *
 * @example
 * [isZstd(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0)), isZstd(Uint8Array.of(0x28))] // => [true, false]
 */
export function isZstd(bytes: Uint8Array): boolean {
  return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
}

/** Number of bytes examined. */
const looked = 1024;

/**
 * Rejects UTF-16 and UTF-32, which it recognizes by a byte order mark, or by every second byte
 * being 0.
 *
 * @throws TagstreamError `invalid-utf8` with the command that converts the file
 * @example
 * refuseUtf16(Buffer.from('Oslo'), 'a.txt') // => undefined
 */
export function refuseUtf16(bytes: Uint8Array, source: string): void {
  const encoding = encodingOf(bytes.subarray(0, looked));
  if (encoding === undefined) return;
  throw notUtf8(`it is ${encoding.replace(/[lb]e$/, '').toUpperCase()}`, encoding, source);
}

/** Returns an error that names the command for converting a file. */
export function notUtf8(problem: string, encoding: string, source: string): TagstreamError {
  return new TagstreamError('invalid-utf8', problem, {
    place: { source },
    fix: `convert it to UTF-8, for example with iconv -f ${encoding} -t utf-8`,
  });
}

function encodingOf(head: Uint8Array): string | undefined {
  const [first, second, third, fourth] = head;
  const isLittle = first === 0xff && second === 0xfe;
  if (isLittle && third === 0 && fourth === 0) return 'utf-32';
  if (isLittle || (first === 0xfe && second === 0xff)) return 'utf-16';
  const zeros = [0, 0];
  for (let i = 0; i < head.length; i += 1) if (head[i] === 0) zeros[i % 2]! += 1;
  const most = Math.max(...zeros);
  if (most < 2 || 4 * most < head.length) return undefined;
  return zeros[1] === most ? 'utf-16le' : 'utf-16be';
}
