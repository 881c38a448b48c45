/** What is downloaded, and how it is known to be right. */
export interface DownloadOptions {
  readonly url: string;
  /** Where the file goes when it is whole; until then it grows under `TARGET.part`. */
  readonly target: string;
  /** Of the whole file, in hexadecimal. Without it what has come is taken as it is. */
  readonly sha256?: string | undefined;
  /** Of the whole file. */
  readonly bytes?: number | undefined;
  /** Receives its progress; `total` where the server says so. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** Times that a broken transfer is resumed; default 3. */
  readonly retries?: number | undefined;
  /** Milliseconds before it is, twice as many each time; default 1000. */
  readonly pause?: number | undefined;
  /** Milliseconds without a byte after which a transfer counts as broken; default 60,000. */
  readonly patience?: number | undefined;
  /** Bytes that a file of unknown size may have; default 4 GiB. */
  readonly most?: number | undefined;
}

/** What a file turned out to be. */
export interface Downloaded {
  readonly sha256: string;
  readonly bytes: number;
}
