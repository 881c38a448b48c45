/** What has come from pipes that were read to their end, by absolute path: no pipe can be read twice. */
export const pipeContents = new Map<string, Uint8Array>();
