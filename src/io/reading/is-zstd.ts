/**
 * Whether bytes begin as a frame of Zstandard does.
 *
 * @example
 * [isZstd(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0)), isZstd(Uint8Array.of(0x28))] // => [true, false]
 */
export function isZstd(bytes: Uint8Array): boolean {
  return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
}
