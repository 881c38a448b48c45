import type { Readable, Writable } from 'node:stream';

/** A stream for text and results, which may be a terminal. */
export type StandardOutput = Writable & { readonly isTTY?: boolean };

/** The streams of a command when no file is named, and its exit code. The process of Node is one. */
export interface StandardStreams {
  readonly stdin: Readable;
  readonly stdout: StandardOutput;
  readonly stderr: StandardOutput;
  /** 0 or undefined for success. */
  exitCode?: number | string | null | undefined;
}

let current: StandardStreams | undefined;

/** The streams of the running command: those it was started with, else those of the process. */
export function standardStreams(): StandardStreams {
  return current ?? process;
}

/**
 * Runs a function with other streams than those of the process, one at a time.
 *
 * @throws (rejects with) Error if another function is using its own streams at the moment, and errors of the
 * function
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
