/**
 * Bytes of the longest record of a text, at most.
 *
 * @param end what ends a record: one line end, or two
 * @example
 * longestRecord(new TextEncoder().encode('a\nbc\n\nd'), '\n') // => 2
 * longestRecord(new TextEncoder().encode('a\nbc\n\nd'), '\n\n') // => 4
 */
export function longestRecord(bytes: Uint8Array, end: '\n' | '\n\n'): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let longest = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(end, start);
    const next = found < 0 ? text.length : found;
    longest = Math.max(longest, next - start);
    start = next + end.length;
  }
  return longest;
}
