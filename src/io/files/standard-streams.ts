import type { Readable, Writable } from 'node:stream';

/** A stream for text and results, which may be a terminal. */
export type StandardOutput = Writable & { readonly isTTY?: boolean };

/** What a command reads and writes where no file is named, and what it ends with. The process of Node is one. */
export interface StandardStreams {
  readonly stdin: Readable;
  readonly stdout: StandardOutput;
  readonly stderr: StandardOutput;
  /** 0 or undefined: all went well. */
  exitCode?: number | string | null | undefined;
}

let current: StandardStreams | undefined;

/** The streams of the command that is running: those that it was started with, else those of the process. */
export function standardStreams(): StandardStreams {
  return current ?? process;
}

/**
 * Does some work with other streams than those of the process, one piece of work at a time.
 *
 * @throws (rejects with) Error if other work has streams of its own at this moment, and what the work throws
 */
export async function withStandardStreams<Result>(
  streams: StandardStreams,
  work: () => Promise<Result>,
): Promise<Result> {
  if (current !== undefined) throw new Error('another command is running in this process');
  current = streams;
  try {
    return await work();
  } finally {
    current = undefined;
  }
}
