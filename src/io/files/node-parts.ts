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
