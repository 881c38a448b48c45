import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the names in a directory durable, as far as the system can: a rename is one only after this. */
export function syncDirectory(path: string): void {
  let directory: number;
  try {
    directory = openSync(path, 'r');
  } catch {
    return; // Windows opens no directories; there a rename needs no flush.
  }
  try {
    fsyncSync(directory);
  } catch {
    // Some network file systems refuse it.
  } finally {
    closeSync(directory);
  }
}
