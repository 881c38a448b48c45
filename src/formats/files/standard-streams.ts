import type { Readable, Writable } from 'node:stream';

/** A stream for text and results, which may be a terminal. */
export type StandardOutput = Writable & { readonly isTTY?: boolean };

/** The streams that a command uses if no file is named, and its exit code. Node's `process` is one implementation. */
export interface StandardStreams {
  readonly stdin: Readable;
  readonly stdout: StandardOutput;
  readonly stderr: StandardOutput;
  /** Exit code; 0 or undefined for success. */
  exitCode?: number | string | null | undefined;
}

let current: StandardStreams | undefined;

/** Returns the streams of the running command: those it was started with, otherwise those of the process. */
export function standardStreams(): StandardStreams {
  return current ?? process;
}

/**
 * Runs a function with streams other than those of the process; only one at a time.
 *
 * @throws (rejects with) Error if another function is currently running with its own streams, and errors of the
 *   function
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
