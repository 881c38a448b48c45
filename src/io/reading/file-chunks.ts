import type { FileHandle } from 'node:fs/promises';

/** A plain file that is read, and how far. */
export interface FileChunks {
  /** Each is good until the next is asked for: two buffers take turns, one is filled while the other is used. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes that were given out. */
  read(): number;
}

/**
 * The bytes of a plain file from `start` to its end, also where it grows meanwhile. Nothing is allocated but
 * two buffers; who keeps a chunk has to copy it.
 *
 * @param handle closed by the caller, who may do so at any time
 */
export function fileChunks(handle: FileHandle, start: number, chunkBytes: number): FileChunks {
  let given = 0;
  const chunks = async function* () {
    const buffers = [new Uint8Array(chunkBytes), new Uint8Array(chunkBytes)];
    let position = start;
    const ahead = (turn: number) => {
      const reading = handle.read(buffers[turn & 1]!, 0, chunkBytes, position);
      // An error is met when the chunk is asked for, if it is.
      reading.catch(() => undefined);
      return reading;
    };
    let reading = ahead(0);
    for (let turn = 0; ; turn += 1) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      position += bytesRead;
      reading = ahead(turn + 1);
      given += bytesRead;
      yield buffers[turn & 1]!.subarray(0, bytesRead);
    }
  };
  return { chunks: chunks(), read: () => given };
}
