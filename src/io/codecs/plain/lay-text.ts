import type { Region } from '../../../kernels/memory/region.js';

/** Bytes past a text that the kernel may look at. */
const padding = 64;
const LF = 10;

/** Lays a text where the kernel reads it, with line ends after it, so that nothing has to look for its end. */
export function layText(region: Region, bytes: Uint8Array, lineEnds: number): void {
  const { length } = bytes;
  region.reserve(length + padding);
  const room = new Uint8Array(region.memory.buffer, region.offset, length + padding);
  room.set(bytes);
  room.fill(LF, length, length + lineEnds);
  room.fill(0, length + lineEnds);
}
