import type { Socket } from 'node:net';

/** How fast a client must read its answers. */
export interface ReadingPace {
  /** Length of the measuring window in milliseconds. */
  readonly window: number;
  /** Fewest bytes that it must read in a window, if there are as many. */
  readonly bytes: number;
}

interface Watched {
  written: number;
  buffered: number;
}

/**
 * Disconnects clients that do not read their answers, so that these do not pile up in memory: if bytes wait for a client and
 * it has read fewer than required, its connection is closed. Does not keep the process alive.
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
