import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { MessageTarget } from '../../../engine/interfaces/loaded-plugin.js';
import { resultId } from '../../../formats/result-id.js';
import type { Output } from '../writing/open-output.js';

/**
 * Returns an output whose records are messages. A record is acknowledged when its message is durable; the first record
 * that cannot be sent ends the writing.
 *
 * @throws (rejects with) errors of opening the writer
 */
export async function messageOutput(place: MessageTarget): Promise<Output> {
  const writer = await place.write();
  return {
    name: place.name,
    byRecord: true,
    write(text, done, record) {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      writer.send(bytes, idOf(record!), record!).then(
        () => done(),
        (error: unknown) => done(error ?? new Error('it was not sent')),
      );
    },
    commit: async () => writer.close?.(),
    // Messages that were sent cannot be recalled.
    abort: async () => writer.close?.(),
  };
}

/** Returns the record's own id, or that of its place and content, which is the same when it is read again. */
function idOf({ document }: TaggedDocument): string | undefined {
  const { id, delivery } = document;
  return id ?? (delivery && resultId(delivery.position, document));
}
