import { statSync } from 'node:fs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { IntoLines } from '../../../formats/lines/line-splitter.js';
import {
  type Input,
  type InputStream,
  openInput,
  sourceName,
} from '../../../formats/reading/open-input.js';
import type { OpenRequest, Transport, TransportStream } from './transport.js';

export interface FileTransportOptions {
  /** Stream that replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Number of bytes read at a time, if each chunk is used up before the next is requested. */
  readonly chunkBytes?: number | undefined;
  /** Converts the records of a file to lines, if their layout may be different. */
  readonly intoLines?: IntoLines | undefined;
}

/**
 * Returns a transport of files, one after the other; `-` is the standard input. Gzip is recognized by content. A
 * position is its own cursor, because the bytes of a file do not move.
 */
export function fileTransport(
  files: readonly string[],
  { stdin, chunkBytes, intoLines }: FileTransportOptions = {},
): Transport {
  let ahead = files;
  let input: Input | undefined;
  async function* streams({ after, seeks }: OpenRequest): AsyncGenerator<TransportStream> {
    const first = after === undefined ? 0 : findFile(files, after);
    for (const [index, path] of files.slice(first).entries()) {
      ahead = files.slice(first + index + 1);
      const resumed = index === 0 ? after : undefined;
      const start = seeks ? resumed?.end : undefined;
      input = await openInput(path, { stdin, chunkBytes, start, intoLines });
      const line = input.offset > 0 ? resumed!.line : 1;
      yield { ...input, line, handled: resumed?.end ?? 0 };
    }
  }
  return { open: streams, lag: () => sourceLag(input, ahead) };
}

function findFile(files: readonly string[], { source, line }: Position): number {
  const index = files.findIndex(path => sourceName(path) === source);
  if (index >= 0) return index;
  throw new TagstreamError(
    'checkpoint',
    'the run to resume was reading a file that is not given now',
    {
      place: { source, line },
      fix: 'give the same files in the same order',
    },
  );
}

/**
 * Returns the number of bytes still to be read: the rest of the open input, and the files after it. Undefined if any of
 * them is not a file, because the end of a pipe is unknown. Cost: one system call per file.
 *
 * @example
 * sourceLag(undefined, ['-']) // => undefined
 * sourceLag({ left: () => 7 }, []) // => 7
 */
export function sourceLag(
  open: Pick<Input, 'left'> | undefined,
  ahead: readonly string[],
): number | undefined {
  let bytes = open === undefined ? 0 : open.left();
  for (const path of ahead) {
    const stats = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
    if (bytes === undefined || stats?.isFile() !== true) return undefined;
    bytes += stats.size;
  }
  return bytes;
}
