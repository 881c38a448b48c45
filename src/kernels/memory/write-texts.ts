import type { Region } from './region.js';

/**
 * Writes texts to a region as the kernel finds them: address and length of each, then their bytes.
 *
 * @param slack bytes that may be read past the last text
 */
export function writeTexts(region: Region, texts: readonly Uint8Array[], slack = 0): void {
  const heads = 8 * texts.length;
  region.reserve(heads + texts.reduce((sum, { length }) => sum + length, 0) + slack);
  const { buffer } = region.memory;
  let at = region.offset + heads;
  for (const [i, text] of texts.entries()) {
    new Uint32Array(buffer, region.offset + 8 * i, 2).set([at, text.length]);
    new Uint8Array(buffer, at, text.length).set(text);
    at += text.length;
  }
}
