/**
 * Seven-bit values whose characters a page cannot hold: NUL, carriage return and
 * `<`.
 */
const forbidden = [0x00, 0x0d, 0x3c];

/**
 * Offset of the character codes that hold a forbidden value (its index times 128) together with the next seven bits.
 */
const paired = 0x180;

/**
 * Encodes bytes as text that HTML preserves and cannot mistake for markup: seven bits per character, each one byte in
 * UTF-8. Forbidden values share a character of two bytes with the next seven bits, so that the text takes 8/7 of the
 * bytes, whereas base64 takes 4/3.
 *
 * @example
 * fromDenseText(toDenseText(Uint8Array.of(0, 60, 255)), 3) // => Uint8Array.of(0, 60, 255)
 */
export function toDenseText(bytes: Uint8Array): string {
  const count = Math.ceil((bytes.length * 8) / 7);
  const parts: string[] = [];
  let units: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const bits = sevenBits(bytes, i);
    const place = forbidden.indexOf(bits);
    if (place < 0) {
      units.push(bits);
    } else {
      i += 1;
      units.push(paired + 128 * place + sevenBits(bytes, i));
    }
    if (units.length < 8192) continue;
    parts.push(String.fromCharCode(...units));
    units = [];
  }
  return parts.join('') + String.fromCharCode(...units);
}

/** Returns the seven bits with a given group number of a bit stream, most significant bit first; zeros past the end. */
function sevenBits(bytes: Uint8Array, number: number): number {
  const bit = number * 7;
  const at = bit >> 3;
  const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return (two >> (9 - (bit & 7))) & 0x7f;
}

/**
 * Returns the bytes of a text of `toDenseText`.
 *
 * @param length number of bytes
 */
export function fromDenseText(text: string, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let held = 0;
  let bits = 0;
  let at = 0;
  // A page runs this once, before it is compiled: plain variables, and no calls. Bits already written overflow and
  // vanish.
  for (let i = 0; i < text.length; i += 1) {
    let unit = text.charCodeAt(i);
    if (unit >= 128) {
      held = (held << 7) | forbidden[(unit - paired) >> 7]!;
      bits += 7;
      if (bits >= 8) {
        bits -= 8;
        bytes[at] = held >> bits;
        at += 1;
      }
      unit &= 0x7f;
    }
    held = (held << 7) | unit;
    bits += 7;
    if (bits >= 8) {
      bits -= 8;
      // Writes past the end are ignored.
      bytes[at] = held >> bits;
      at += 1;
    }
  }
  return bytes;
}
