import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { standardStreams } from '../files/standard-streams.js';

/** Returns an open socket of this process, which has no path to open it by, as a stream. */
export function openSocket(descriptor: number): Readable {
  if (descriptor === 0) return standardStreams().stdin;
  return new Socket({ fd: descriptor, readable: true, writable: false });
}
