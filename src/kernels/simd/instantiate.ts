import { moduleBytes, sharedModuleBytes } from './module-bytes.js';

const compiled = new Map<string, WebAssembly.Module>();

/** The functions of the module, over a memory, which threads may share. It is compiled once. */
export function instantiate(memory: WebAssembly.Memory): WebAssembly.Exports {
  const bytes = isShared(memory) ? sharedModuleBytes : moduleBytes;
  const module = compiled.get(bytes) ?? new WebAssembly.Module(decoded(bytes));
  compiled.set(bytes, module);
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
