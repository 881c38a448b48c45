import type { InputStream } from './input-stream.js';

/** The chunks of a stream as bytes: one of texts, as `Readable.from(['...'])` makes it, is encoded as UTF-8. */
export async function* bytesOfStream(
  stream: InputStream,
): AsyncGenerator<Uint8Array, void, undefined> {
  let half = '';
  for await (const chunk of stream) {
    if (typeof chunk !== 'string') {
      yield chunk;
      continue;
    }
    // The first half of a surrogate pair waits for the second.
    const text = half + chunk;
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    yield Buffer.from(half === '' ? text : text.slice(0, -1));
  }
  if (half !== '') yield Buffer.from(half);
}
