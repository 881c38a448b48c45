import type { Delivery } from '../../core/delivery/delivery.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { Head } from '../../io/reading/read-head.js';
import { wholeRecords } from './whole-records.js';

/** The line at which the first record with an empty tag begins; undefined where the beginning of a file has none. */
export async function firstEmptyTag(head: Head, codec: Codec): Promise<number | undefined> {
  const deliver = (position: Delivery['position']): Delivery => ({
    position,
    release: () => undefined,
    ack: () => undefined,
    reject: () => undefined,
  });
  const context = { source: '', onBad: () => undefined, deliver };
  for await (const documents of codec.read([wholeRecords(head, codec, context.source)], context)) {
    const found = documents.find(({ tags, partialTags }) => (tags ?? partialTags)?.includes(''));
    if (found !== undefined) return found.delivery?.position.line;
  }
  return undefined;
}
