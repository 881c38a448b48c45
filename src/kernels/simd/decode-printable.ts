/**
 * Decodes a text written by `embedding/encode-printable.mjs`, without a file system or Node: each byte is one or two
 * printable characters. Unlike in base64, equal bytes stay equal, so the text compresses as well as the bytes: with gzip
 * to two thirds of base64.
 */
export function decodePrintable(text: string): Uint8Array<ArrayBuffer> {
  // The engine turns the text into bytes, so that this loop, which runs once per start, does little for each.
  const bytes = new TextEncoder().encode(text);
  const end = bytes.length;
  let length = 0;
  for (let i = 0; i < end; i += 1) {
    let code = bytes[i]!;
    let place = code > 92 ? code - 41 : code - 40;
    if (place < 2) {
      i += 1;
      code = bytes[i]!;
      place = 86 * (place + 1) + (code > 92 ? code - 41 : code - 40);
    }
    bytes[length] = place - 10;
    length += 1;
  }
  return bytes.slice(0, length);
}
