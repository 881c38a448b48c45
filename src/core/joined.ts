/**
 * Pieces of bytes as one.
 *
 * @example
 * joined([Uint8Array.of(1, 2), Uint8Array.of(3)]) // => Uint8Array.of(1, 2, 3)
 */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
