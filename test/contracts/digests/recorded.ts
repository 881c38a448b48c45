import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** With it, digests are written down anew; say in the change log which bytes changed, and why. */
const recording = process.env.TAGSTREAM_RECORD === '1';

/** Shortened SHA-256 of bytes. */
export function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/**
 * Compares digests with those that an earlier version of the code left in a JSON file beside this one: the same
 * input and seed give the same bytes, whatever is changed inside.
 */
export class Recorded {
  readonly #path: string;

  constructor(name: string) {
    this.#path = join(import.meta.dirname, `${name}.json`);
  }

  expect(digests: Readonly<Record<string, string>>): void {
    const known = this.#read();
    if (recording) {
      const sorted = Object.entries({ ...known, ...digests }).sort(([a], [b]) => (a < b ? -1 : 1));
      writeFileSync(this.#path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    } else {
      const wanted = Object.keys(digests).map(key => [key, known[key]]);
      expect(digests).toEqual(Object.fromEntries(wanted));
    }
  }

  #read(): Readonly<Record<string, string>> {
    if (!existsSync(this.#path)) return {};
    return JSON.parse(readFileSync(this.#path, 'utf8')) as Record<string, string>;
  }
}
