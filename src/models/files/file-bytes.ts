/**
 * The bytes of a file that are read part by part, into memory that is there for them.
 *
 * @example
 * const bytes = partsOf(Uint8Array.of(1, 2, 3));
 * const part = new Uint8Array(2);
 * bytes.read(1, part);
 * part // => Uint8Array.of(2, 3)
 */
export interface FileBytes {
  readonly length: number;
  /** Fills `into` with what begins at `from`. */
  read(from: number, into: Uint8Array): void;
}

/** Those of a file that is in memory. */
export function partsOf(bytes: Uint8Array): FileBytes {
  return {
    length: bytes.length,
    read: (from, into) => into.set(bytes.subarray(from, from + into.length)),
  };
}
