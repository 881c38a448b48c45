/** Takes the words and vectors out of a file of one format, chunk by chunk. */
export interface VectorReader {
  /** Takes the next bytes; false once no more are needed. The chunk is not kept. */
  push(chunk: Uint8Array): boolean;
  /** Called where no more bytes come. */
  end(): void;
}
