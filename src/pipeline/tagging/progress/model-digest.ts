import { contentDigest } from '../../../io/files/content-digest.js';
import { readBytes } from '../../../io/reading/read-bytes.js';

/** The digest of a model's file, read once for each version of it: each checkpoint asks for it. */
export class ModelDigest {
  readonly #file: string;
  #digest: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws TagstreamError `file` */
  get value(): string {
    this.#digest ??= contentDigest([readBytes(this.#file)]);
    return this.#digest;
  }

  /** The file has been read again. Where its digest is asked for it is that of now: the next file may be a bad one. */
  renew(): void {
    if (this.#digest !== undefined) this.#digest = contentDigest([readBytes(this.#file)]);
  }
}
