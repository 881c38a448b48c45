/**
 * Bytes of the array buffers and WebAssembly memories that are made while `work` runs, whether they are
 * freed or not, each as large as it was asked for: constructors, `slice` and `grow`. Not counted are Node's
 * own Buffers, which models are not read with, and checkpoints only into a text of the manifest's size.
 */
export function countAllocations(work: () => void): number {
  const realm = globalThis as unknown as Record<string, unknown>;
  let bytes = 0;
  const undo: (() => void)[] = [];
  const put = (holder: object, name: string, value: unknown) => {
    const before = Object.getOwnPropertyDescriptor(holder, name)!;
    Object.defineProperty(holder, name, { ...before, value });
    undo.push(() => Object.defineProperty(holder, name, before));
  };
  const counted = (
    made: { buffer?: { byteLength: number }; byteLength: number },
    given: unknown,
  ) => {
    const owns = !(given instanceof ArrayBuffer || given instanceof SharedArrayBuffer);
    if (owns) bytes += made.byteLength;
    return made;
  };
  const arrays = ['Uint8Array', 'Int32Array', 'Uint16Array', 'Uint32Array', 'Float32Array'];
  for (const name of [...arrays, 'Float64Array', 'BigUint64Array', 'ArrayBuffer']) {
    const original = realm[name] as new (...given: unknown[]) => { byteLength: number };
    const construct = (target: typeof original, given: unknown[], self: unknown): object =>
      counted(
        Reflect.construct(target, given, self === proxy ? target : (self as never)),
        given[0],
      );
    const proxy: typeof original = new Proxy(original, { construct });
    put(realm, name, proxy);
  }
  const typed = Object.getPrototypeOf(Uint8Array.prototype) as { slice: (...g: never[]) => never };
  for (const holder of [typed, ArrayBuffer.prototype as unknown as typeof typed]) {
    const { slice } = holder;
    put(holder, 'slice', function (this: unknown, ...given: never[]) {
      return counted(Reflect.apply(slice, this, given), undefined);
    });
  }
  const { Memory } = WebAssembly;
  const { grow } = Memory.prototype;
  put(Memory.prototype, 'grow', function (this: WebAssembly.Memory, pages: number) {
    const before = grow.call(this, pages);
    bytes += pages * 65_536;
    return before;
  });
  const memories = {
    construct(target: typeof Memory, given: [WebAssembly.MemoryDescriptor]) {
      bytes += given[0].initial * 65_536;
      return new target(...given);
    },
  };
  put(WebAssembly, 'Memory', new Proxy(Memory, memories));
  try {
    work();
    return bytes;
  } finally {
    for (const each of undo.reverse()) each();
  }
}
