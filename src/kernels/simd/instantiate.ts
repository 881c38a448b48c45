import { moduleBytes } from './module-bytes.js';

let compiled: WebAssembly.Module | undefined;

/** The functions of the module, over a memory. It is compiled once. */
export function instantiate(memory: WebAssembly.Memory): WebAssembly.Exports {
  compiled ??= new WebAssembly.Module(decoded(moduleBytes));
  return new WebAssembly.Instance(compiled, { env: { memory, log: Math.log } }).exports;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
