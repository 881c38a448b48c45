import type { Fingerprint } from '../fingerprints/fingerprint.js';

/** Hashes a token as lists have their words: as it is, or in lower case where case makes no difference. */
export function hashWord(item: string | number, fold: boolean, hash: Fingerprint): void {
  const token = typeof item === 'string' ? item : String(item);
  hash.start();
  hash.text(fold ? token.toLowerCase() : token);
  hash.finish();
}
