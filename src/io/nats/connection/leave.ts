import type { NatsConnection } from '@nats-io/transport-node';

/** Milliseconds that servers have to take what is still to be sent. */
const patience = 5_000;

/**
 * Ends a connection when all is sent, or without that where no server takes it: whatever has to arrive has been
 * acknowledged before.
 */
export async function leave(core: NatsConnection): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), patience);
  });
  try {
    await Promise.race([core.drain(), late]);
  } catch {
    await core.close();
  } finally {
    clearTimeout(timer);
  }
}
