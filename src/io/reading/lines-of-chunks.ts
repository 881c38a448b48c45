import { TagstreamError } from '../../core/errors.js';
import type { IntoLines, LineMaker } from '../lines/into-lines.js';

const OPEN_LIST = 91;

/** Bytes that are looked at. */
const looked = 64;

/**
 * The bytes of a stream, changed by `intoLines` if its first bytes ask for it.
 *
 * @throws TagstreamError `file` where it ends early, after all that is whole
 */
export async function* linesOfChunks(
  chunks: AsyncIterable<Uint8Array>,
  intoLines: IntoLines,
  source: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let change: LineMaker | undefined;
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield change === undefined ? chunk : change.lines(chunk);
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    // A slow stream is not kept waiting by what shows already that it is not blank.
    if (head.length < looked && isOpen(head)) {
      head = Uint8Array.from(head);
      continue;
    }
    if (intoLines.isNeeded(head)) change = intoLines.begin();
    yield change === undefined ? head : change.lines(head);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) {
    if (intoLines.isNeeded(head)) change = intoLines.begin();
    yield change === undefined ? head : change.lines(head);
  }
  if (change === undefined) return;
  const { rest, missing } = change.end();
  if (rest.length > 0) yield rest;
  if (missing !== undefined) throw arrayCutOff(source, missing);
}

/** A JSON array that ends early. */
export function arrayCutOff(source: string, missing: string): TagstreamError {
  return new TagstreamError(
    'file',
    `cannot read ${source}: the JSON array is cut off: ${missing}`,
    {
      fix: 'records before the cut were read; get the whole file again, or write the bracket',
    },
  );
}

/** Whether bytes do not show yet how the stream begins: blanks, and the bracket of an array. */
function isOpen(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte <= 32 || byte === OPEN_LIST || byte >= 0xbb);
}
