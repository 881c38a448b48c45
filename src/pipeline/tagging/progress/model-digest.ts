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

  /** The file has been read again. */
  renew(): void {
    this.#digest = undefined;
  }
}
