import type { QueuedIterator } from '@nats-io/transport-node';
import { MessageBuffer } from '../reading/message-buffer.js';
import { aliasKey, aliasOf, type StandingAlias, standingAlias } from './aliases.js';
import type { ModelRegistry } from './open-registry.js';

/** Milliseconds from one look at an alias to the next, beside the news of it: none is missed for long. */
const lookAgain = 10_000;

/** Milliseconds before news are asked for again where the servers do not give them. */
const pause = 500;

/**
 * An alias as it is, and each change of it, as long as the signal lets it. Changes that follow each other at once may
 * be passed over for the last of them. While no server answers, or the alias cannot be read, it waits.
 *
 * @throws (rejects with) TagstreamError `usage` for a name or an alias that is none
 */
export async function* watchAlias(
  registry: ModelRegistry,
  name: string,
  alias: string,
  signal: AbortSignal,
): AsyncGenerator<StandingAlias, void, undefined> {
  const key = aliasKey(name, alias);
  const states = new MessageBuffer<StandingAlias>();
  let last = 0;
  const look = () =>
    standingAlias(registry, name, alias).then(
      state => {
        if (state !== undefined) states.put(state);
      },
      // The next look says what is wrong, if anything still is.
      () => undefined,
    );
  const looking = setInterval(look, lookAgain);
  const stop = () => states.end();
  signal.addEventListener('abort', stop, { once: true });
  void listen(registry, key, signal, states);
  try {
    await look();
    while (!signal.aborted) {
      const found = await states.take();
      if (found.length === 0) return;
      for (const state of found) {
        if (state.revision <= last) continue;
        last = state.revision;
        yield state;
      }
    }
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
  }
}

/** Puts what the servers say of a key into a buffer, and asks them again when they have ended that. */
async function listen(
  { connection, keys }: ModelRegistry,
  key: string,
  signal: AbortSignal,
  states: MessageBuffer<StandingAlias>,
): Promise<void> {
  let news: QueuedIterator<unknown> | undefined;
  signal.addEventListener('abort', () => news?.stop(), { once: true });
  while (!signal.aborted && !connection.core.isClosed()) {
    try {
      const entries = await keys.watch({ key });
      news = entries;
      if (signal.aborted) return entries.stop();
      for await (const entry of entries) {
        if (entry.operation === 'PUT') states.put(aliasOf(entry));
      }
    } catch {
      // Servers that restart, or an entry that is none: looking at the alias says so.
    }
    if (!signal.aborted) await new Promise(resolve => setTimeout(resolve, pause));
  }
}
