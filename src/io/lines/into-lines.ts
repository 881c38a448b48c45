/** Changes the chunks of a stream, which come in order and stay what they are. */
export interface LineMaker {
  lines(chunk: Uint8Array): Uint8Array;
  /** What is left at the end of the stream, and what is missing there, in words. */
  end(): { readonly rest: Uint8Array; readonly missing?: string };
}

/**
 * Makes lines of records that do not stand in lines. As many bytes come out as go in, each in its place, so that
 * offsets stay those of the stream; only the last line of one that is cut off gets a line end.
 */
export interface IntoLines {
  /** Whether a stream that begins so has to be changed. */
  isNeeded(head: Uint8Array): boolean;
  /** What changes the chunks of one stream. */
  begin(): LineMaker;
  /** What is read in the place of a file, where its records are in several files. */
  readonly fileLines?: (path: string) => Uint8Array;
}
