import { resolve } from 'node:path';

/** What has come from pipes that were read to their end, by absolute path: no pipe can be read twice. */
export const pipeContents = new Map<string, Uint8Array>();

/** What has come from this one, if it is one. */
export function readAhead(path: string): Uint8Array | undefined {
  return pipeContents.size === 0 ? undefined : pipeContents.get(resolve(path));
}
