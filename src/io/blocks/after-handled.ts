import type { Codec } from '../codecs/codec.js';
import type { Block } from './block-cutter.js';
import type { BlockOrBad } from './read-blocks.js';

const LF = 10;

/**
 * The blocks of a stream without the records that an earlier run has handled.
 *
 * @param handled offset of the end of the last of these records, before its line end
 */
export async function* afterHandled(
  blocks: AsyncIterable<BlockOrBad>,
  handled: number,
  { recordsAreLines }: Pick<Codec, 'recordsAreLines'>,
): AsyncGenerator<BlockOrBad, void, undefined> {
  for await (const item of blocks) {
    if (item.kind === 'bad') {
      if (item.bad.position.start >= handled) yield item;
      continue;
    }
    const { block } = item;
    // A line that is cut off belongs to what was handled.
    const at = handled - block.offset;
    const from = at < 0 ? 0 : recordsAreLines ? block.bytes.indexOf(LF, at) + 1 : at;
    const rest = at >= 0 && from === 0 ? undefined : restOf(block, from);
    if (rest !== undefined) yield { ...item, block: rest };
  }
}

/** What comes at and after a place in a block; undefined if there is nothing. */
function restOf(block: Block, from: number): Block | undefined {
  const { bytes, offset, line, lineEnds } = block;
  if (from === 0) return block;
  if (from >= bytes.length) return undefined;
  const passed = bytes.subarray(0, from).reduce((sum, byte) => sum + (byte === LF ? 1 : 0), 0);
  return {
    bytes: bytes.slice(from),
    ...{ offset: offset + from, line: line + passed, lineEnds: lineEnds - passed },
  };
}
