import type { IntoLines } from '../lines/into-lines.js';

/** Bytes that are looked at. */
const looked = 64;

/** The bytes of a stream, changed by `intoLines` if its first bytes ask for it. */
export async function* linesOfChunks(
  chunks: AsyncIterable<Uint8Array>,
  intoLines: IntoLines,
): AsyncGenerator<Uint8Array, void, undefined> {
  let change: ((chunk: Uint8Array) => Uint8Array) | undefined;
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield change === undefined ? chunk : change(chunk);
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    // A slow stream is not kept waiting by what shows already that it is not blank.
    if (head.length < looked && isBlank(head)) {
      head = Uint8Array.from(head);
      continue;
    }
    if (intoLines.isNeeded(head)) change = intoLines.begin();
    yield change === undefined ? head : change(head);
    head = undefined;
  }
  if (head === undefined || head.length === 0) return;
  yield intoLines.isNeeded(head) ? intoLines.begin()(head) : head;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte <= 32 || byte >= 0xbb);
}
