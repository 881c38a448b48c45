/** What text or bytes are written to, as to `process.stdout` or any other `Writable` of Node, without naming that type. */
export interface OutputStream {
  /** `done` is called when the system has it, or with what went wrong. */
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  listeners(event: 'error'): readonly unknown[];
}
