/** Bytes of a block that are read at a time. */
const sliceBytes = 65_536;

/**
 * The bytes of a block in small pieces, so that few records are in memory at a time.
 *
 * @example
 * [...slices(new Uint8Array(70_000))].map(slice => slice.length) // => [65536, 4464]
 */
export function* slices(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    yield bytes.subarray(start, start + sliceBytes);
  }
}
