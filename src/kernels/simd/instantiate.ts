import type { WasmMemory } from '../memory/wasm-memory.js';
import { moduleBytes, sharedModuleBytes } from './module-bytes.js';

const compiled = new Map<() => Uint8Array<ArrayBuffer>, WebAssembly.Module>();

/** The functions of the module, over a memory, which threads may share. It is compiled once. */
export function instantiate(memory: WasmMemory): WebAssembly.Exports {
  const bytes = isShared(memory) ? sharedModuleBytes : moduleBytes;
  const module = compiled.get(bytes) ?? new WebAssembly.Module(bytes());
  compiled.set(bytes, module);
  return new WebAssembly.Instance(module, {
    env: { memory: memory as WebAssembly.Memory, log: Math.log },
  }).exports;
}

/** Not by `SharedArrayBuffer`, which pages that are not isolated from other origins do not have by name. */
function isShared({ buffer }: WasmMemory): boolean {
  return !(buffer instanceof ArrayBuffer);
}
