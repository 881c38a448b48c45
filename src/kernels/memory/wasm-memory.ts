/** `WebAssembly.Memory`, as far as it is used: its own type is among those of browsers, which programs for Node can lack. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
