import type { WasmMemory } from '../memory/linear-memory.js';
import { moduleBytes, sharedModuleBytes } from './module-bytes.js';

/** The bytes of a module, for a memory of one thread and for a shared memory. */
export interface ModuleSource {
  readonly alone: () => Uint8Array<ArrayBuffer>;
  readonly shared: () => Uint8Array<ArrayBuffer>;
}

const kernels: ModuleSource = { alone: moduleBytes, shared: sharedModuleBytes };

const compiled = new Map<() => Uint8Array<ArrayBuffer>, WebAssembly.Module>();

/**
 * Returns the functions of a module (default: the kernels) over a memory, which threads may share.
 * The module is compiled once.
 */
export function instantiate(
  memory: WasmMemory,
  source: ModuleSource = kernels,
): WebAssembly.Exports {
  const bytes = isShared(memory) ? source.shared : source.alone;
  const module = compiled.get(bytes) ?? new WebAssembly.Module(bytes());
  compiled.set(bytes, module);
  return new WebAssembly.Instance(module, {
    env: { memory: memory as WebAssembly.Memory, log: Math.log },
  }).exports;
}

/** Not via `SharedArrayBuffer`, which is undefined in pages without cross-origin isolation. */
function isShared({ buffer }: WasmMemory): boolean {
  return !(buffer instanceof ArrayBuffer);
}
