import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import type { Downloaded } from '../../io/download/download-options.js';
import { errnoOf, fileError } from '../../io/files/file-error.js';
import { atomicWrite } from '../../io/writing/atomic-write.js';

const lockSchema = z.record(
  z.string(),
  z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) }),
);

/**
 * What files that nobody has verified turned out to be when they were fetched first, by address, in
 * `corpora.lock.json`: whatever is fetched later has to be the same.
 */
export class DigestLock {
  readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, 'corpora.lock.json');
  }

  /** @throws TagstreamError `config` if the file is damaged, `file` if it cannot be read */
  get(url: string): Downloaded | undefined {
    const all = this.#read();
    return Object.hasOwn(all, url) ? all[url] : undefined;
  }

  set(url: string, found: Downloaded): void {
    const all = { ...this.#read(), [url]: found };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    atomicWrite(this.path, `${JSON.stringify(sorted, null, 2)}\n`);
  }

  #read(): z.output<typeof lockSchema> {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return {};
      throw fileError('read', this.path, cause);
    }
    try {
      return lockSchema.parse(JSON.parse(text));
    } catch (cause) {
      throw new TagstreamError('config', 'it does not hold digests of files', {
        place: { source: this.path },
        fix: 'undo the change, or remove it to trust the files again',
        cause,
      });
    }
  }
}
