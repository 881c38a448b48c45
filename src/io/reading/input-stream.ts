/**
 * What bytes or text are read from, as from `process.stdin` or any other `Readable` of Node. It names no type of Node,
 * so that those who compile against the package need not have them.
 */
export interface InputStream extends AsyncIterable<Uint8Array | string> {
  /** Gives it up, also in the middle of waiting for a chunk. */
  destroy(): unknown;
}
