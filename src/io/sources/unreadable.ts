import type { TagstreamError } from '../../core/errors.js';
import { badRecord } from '../bad-records/bad-record.js';
import type { Codec } from '../codecs/codec.js';

/**
 * The codec that reads a stream: its own, but of one that cannot be read all bytes are one bad record, as lines of what is
 * packed say nothing.
 *
 * @example
 * readable(ndjsonCodec(), {}).name // => 'ndjson'
 */
export function readable(
  codec: Codec,
  { unreadable }: { readonly unreadable?: TagstreamError | undefined },
): Codec {
  if (unreadable === undefined) return codec;
  return {
    ...codec,
    // biome-ignore lint/correctness/useYield: nothing in it can be read
    async *read(chunks, { source, wanted, onBad }) {
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      const raw = Buffer.concat(all);
      if (wanted?.(0) === false) return;
      onBad(badRecord({ source, line: 1, start: 0, end: raw.length }, raw, unreadable));
    },
  };
}
