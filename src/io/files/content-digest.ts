import { hashing } from './hashing.js';

/**
 * What distinguishes one content from another: `sha256:` and the digest in hexadecimal.
 *
 * @example
 * contentDigest([new TextEncoder().encode('a'), new TextEncoder().encode('bc')]).slice(0, 15)
 * // => 'sha256:ba7816bf'
 */
export function contentDigest(pieces: Iterable<Uint8Array>): string {
  const hash = hashing().createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return `sha256:${hash.digest('hex')}`;
}
