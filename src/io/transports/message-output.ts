import type { MessageTransport } from '../../plugins/messages.js';
import type { Output } from '../writing/open-output.js';

/**
 * An output whose records are messages. A record is acknowledged when its message is durable; the first that could not
 * be sent ends the writing.
 *
 * @throws (rejects with) what opening the writer throws
 */
export async function messageOutput(
  place: Required<Pick<MessageTransport, 'name' | 'write'>>,
): Promise<Output> {
  const writer = await place.write();
  return {
    name: place.name,
    byRecord: true,
    write(text, done, id) {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      writer.send(bytes, id).then(
        () => done(),
        (error: unknown) => done(error ?? new Error('it was not sent')),
      );
    },
    commit: async () => writer.close?.(),
    // What was sent stays sent.
    abort: async () => writer.close?.(),
  };
}
