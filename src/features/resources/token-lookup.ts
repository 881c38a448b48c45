import type { Column } from '../../core/sentence/document.js';
import type { ContentTable } from '../fingerprints/content-table.js';
import type { Fingerprint } from '../fingerprints/fingerprint.js';

/** What a macro finds in a list for each token of a sentence. */
export interface TokenLookup {
  /** Writes the hash of what it finds at each of `length` tokens, 0 for nothing, from place `start` on. */
  fill(column: Column, length: number, hash: Fingerprint, table: ContentTable, start: number): void;
  /** Hashes what it finds at a token, where that follows from the token alone; false where it is nothing. */
  hash?(token: string, hash: Fingerprint): boolean;
  /** What it finds at each token of a sentence, as text; undefined for nothing. Slow: for names. */
  texts(column: Column): readonly (string | undefined)[];
}
