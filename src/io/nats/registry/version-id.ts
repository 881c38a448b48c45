/**
 * What distinguishes a model file from all others, for people: the first twelve hexadecimal digits of its SHA-256.
 *
 * @example
 * versionId('sha256:4f1c9a2b3c4d5e6f') // => '4f1c9a2b3c4d'
 */
export function versionId(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
