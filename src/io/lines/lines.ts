import { type Line, LineSplitter, type StreamStart } from './line-splitter.js';

/** Length that a line may have if nothing else is said: 16 MiB. */
export const defaultMaxLineBytes = 16 * 1024 * 1024;

/**
 * The lines of a byte stream, as one array for each chunk that completes some, so that no line costs
 * a promise of its own. A line that is too long or is not UTF-8 comes as a bad line, in its place.
 *
 * @example
 * const texts = [];
 * for await (const lines of splitLines([new TextEncoder().encode('a\nb\nc')])) {
 *   texts.push(lines.map(line => line.text));
 * }
 * texts // => [['a', 'b'], ['c']]
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { maxLineBytes?: number | undefined; from?: StreamStart | undefined } = {},
): AsyncGenerator<readonly Line[], void, undefined> {
  const splitter = new LineSplitter(options.maxLineBytes ?? defaultMaxLineBytes, options.from);
  for await (const chunk of chunks) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}
