import type { Socket } from 'node:net';

/** What a client has to take of its answers. */
export interface ReadingPace {
  /** Milliseconds within which it is looked at. */
  readonly window: number;
  /** Bytes that it takes at least meanwhile, if there are as many. */
  readonly bytes: number;
}

interface Watched {
  written: number;
  buffered: number;
}

/**
 * Cuts off clients that do not read their answers, so that these do not stay in memory: where bytes wait for a client and it
 * has taken fewer than the pace asks for, its connection is closed. Does not keep the process alive.
 *
 * @returns what watches a connection, and what ends it
 */
export function cutOffSlowClients(
  { window, bytes }: ReadingPace,
  onCutOff: () => void = () => undefined,
): { watch(socket: Socket): void; stop(): void } {
  const watched = new Map<Socket, Watched>();
  const timer = setInterval(() => {
    for (const [socket, last] of watched) {
      const written = socket.bytesWritten - socket.writableLength;
      const buffered = socket.writableLength;
      if (last.buffered > 0 && buffered > 0 && written - last.written < bytes) {
        watched.delete(socket);
        socket.destroy();
        onCutOff();
      } else {
        last.written = written;
        last.buffered = buffered;
      }
    }
  }, window);
  timer.unref();
  return {
    watch(socket) {
      watched.set(socket, { written: 0, buffered: 0 });
      socket.once('close', () => watched.delete(socket));
    },
    stop: () => clearInterval(timer),
  };
}
