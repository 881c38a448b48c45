import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * What has come of a file so far, in `TARGET.part`; beside it what the server called that version of the
 * file, so that two versions are never put together.
 */
export class PartialFile {
  readonly path: string;
  readonly #tagPath: string;

  constructor(target: string) {
    this.path = `${target}.part`;
    this.#tagPath = `${target}.part.etag`;
  }

  /** Bytes that are there. */
  get bytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** What the server called the version that they are of, if it did. */
  get version(): string | undefined {
    try {
      return readFileSync(this.#tagPath, 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Starts again, with another version. */
  begin(version: string | undefined): void {
    this.remove();
    if (version !== undefined) writeFileSync(this.#tagPath, version);
  }

  open(): Promise<FileHandle> {
    return open(this.path, 'a');
  }

  forgetVersion(): void {
    rmSync(this.#tagPath, { force: true });
  }

  remove(): void {
    rmSync(this.path, { force: true });
    this.forgetVersion();
  }
}
