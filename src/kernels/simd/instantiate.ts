import { moduleBytes, sharedModuleBytes } from './module-bytes.js';

const compiled: { alone?: WebAssembly.Module; shared?: WebAssembly.Module } = {};

/** The functions of the module, over a memory, which threads may share. It is compiled once. */
export function instantiate(memory: WebAssembly.Memory): WebAssembly.Exports {
  const module = isShared(memory)
    ? (compiled.shared ??= new WebAssembly.Module(decoded(sharedModuleBytes)))
    : (compiled.alone ??= new WebAssembly.Module(decoded(moduleBytes)));
  return new WebAssembly.Instance(module, { env: { memory, log: Math.log } }).exports;
}

function isShared({ buffer }: WebAssembly.Memory): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
