import type { Client } from './client.js';

/** Whether an error says that a stream or consumer is not there. */
export function isMissing(
  thrown: unknown,
  { jetstream }: Client,
  what: 'stream' | 'consumer',
): boolean {
  if (!(thrown instanceof jetstream.JetStreamApiError)) return false;
  const { StreamNotFound, ConsumerNotFound } = jetstream.JetStreamApiCodes;
  return thrown.code === (what === 'stream' ? StreamNotFound : ConsumerNotFound);
}
