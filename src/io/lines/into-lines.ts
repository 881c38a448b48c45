/**
 * Makes lines of records that do not stand in lines. As many bytes come out as go in, each in its place, so that
 * offsets stay those of the stream.
 */
export interface IntoLines {
  /** Whether a stream that begins so has to be changed. */
  isNeeded(head: Uint8Array): boolean;
  /** What changes the chunks of one stream, which it is given in order; it leaves the chunks as they are. */
  begin(): (chunk: Uint8Array) => Uint8Array;
  /** What is read in the place of a file, where its records are in several files. */
  readonly fileLines?: (path: string) => Uint8Array;
}
