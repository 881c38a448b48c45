import { decoderBytes } from './decoder-bytes.js';

const pageSize = 65536;

/**
 * Decodes a text written by `embedding/encode-printable.mjs`, without a file system or Node: each byte is one or two
 * printable characters. Unlike in base64, equal bytes stay equal, so the text compresses as well as the bytes: with gzip
 * to two thirds of base64. The decoder is a small module itself, as a loop in JavaScript, not yet optimised, would take
 * most of the time until the kernels are ready.
 */
export function decodePrintable(text: string): Uint8Array<ArrayBuffer> {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(text.length / pageSize) });
  const bytes = new Uint8Array(memory.buffer);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  const module = new WebAssembly.Module(decoderBytes());
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const { decodePrintable: decode } = exports as {
    decodePrintable(from: number, end: number): number;
  };
  return bytes.slice(0, decode(0, written));
}
