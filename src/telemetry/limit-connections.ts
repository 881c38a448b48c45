import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Holds a server to so many open connections, as each takes a file of the process. One more closes the one that has
 * been idle for longest, or is closed itself while all others wait for an answer.
 */
export function limitConnections(server: Server, most: number): void {
  // In the order of their last requests.
  const open = new Set<Socket>();
  const answering = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const surplus = [...open].find(each => !answering.has(each))!;
    // Its event comes later, and others may connect until then.
    open.delete(surplus);
    surplus.destroy();
  });
  server.on('request', ({ socket }, response) => {
    open.delete(socket);
    open.add(socket);
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
  });
}
