/**
 * Decodes a text written by `embedding/encode-printable.mjs`, without a file system or Node: each byte is one or two
 * printable characters. Unlike in base64, equal bytes stay equal, so the text compresses as well as the bytes: with gzip
 * to two thirds of base64.
 */
export function decodePrintable(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    let place = placeAt(text, i);
    if (place < 2) {
      i += 1;
      place = 86 * (place + 1) + placeAt(text, i);
    }
    bytes[length] = place - 10;
    length += 1;
  }
  return bytes.slice(0, length);
}

/** Returns the index of a character among those from `(` to `~` without the backslash. */
function placeAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  return code > 92 ? code - 41 : code - 40;
}
