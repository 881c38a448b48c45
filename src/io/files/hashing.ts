/** Hashes of the platform, loaded when they are first asked for: most runs start sooner without them. */
export function hashing(): Pick<typeof import('node:crypto'), 'createHash' | 'hash'> {
  return process.getBuiltinModule('node:crypto');
}
