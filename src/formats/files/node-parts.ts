/**
 * Returns `node:zlib`, loaded on demand: importing it would add 2 ms to each start, and most inputs and outputs are
 * uncompressed.
 *
 * @example
 * typeof zlib().createGzip // => 'function'
 */
export function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib');
}

/**
 * Returns `node:os`, loaded on demand.
 *
 * @example
 * os().EOL // => '\n'
 */
export function os(): typeof import('node:os') {
  return process.getBuiltinModule('node:os');
}

/** Returns the platform's hashes, loaded on first use: most runs start faster without them. */
export function hashing(): Pick<typeof import('node:crypto'), 'createHash' | 'hash'> {
  return process.getBuiltinModule('node:crypto');
}

/**
 * Returns the digest of some content: `sha256:` and hexadecimal digits.
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

/**
 * Returns 128 bits of the digest of some content as 32 hexadecimal digits, for ids.
 *
 * @example
 * shortDigest('a', 'bc') === shortDigest('abc') // => true
 */
export function shortDigest(...pieces: readonly (Uint8Array | string)[]): string {
  const hash = hashing().createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex').slice(0, 32);
}
