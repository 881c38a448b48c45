import type { Socket } from 'node:net';

/** How fast a client must read its answers. */
export interface ReadingPace {
  /** Length of the measuring window in milliseconds. */
  readonly window: number;
  /** Minimum number of bytes that a client must read per window if that many are waiting. */
  readonly bytes: number;
}

interface Watched {
  written: number;
  buffered: number;
}

/**
 * Disconnects clients that do not read their answers, so that unread bytes do not pile up in memory: closes a
 * connection if bytes are waiting for its client, which has read fewer than required. Does not keep the process alive.
 *
 * @returns a function that watches a connection, and one that stops watching
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
