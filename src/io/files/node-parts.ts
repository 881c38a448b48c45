/**
 * `node:zlib`, loaded when it is needed: an import takes 2 ms of each start, and most inputs and outputs are plain.
 *
 * @example
 * typeof zlib().createGzip // => 'function'
 */
export function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib');
}

/**
 * `node:os`, likewise.
 *
 * @example
 * os().EOL // => '\n'
 */
export function os(): typeof import('node:os') {
  return process.getBuiltinModule('node:os');
}

/** Hashes of the platform, loaded when they are first asked for: most runs start sooner without them. */
export function hashing(): Pick<typeof import('node:crypto'), 'createHash' | 'hash'> {
  return process.getBuiltinModule('node:crypto');
}

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
