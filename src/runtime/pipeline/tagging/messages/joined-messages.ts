import type { MessageStream } from '../../../io/transports/transport.js';
import type { BlockTask } from '../../blocks/block-task.js';
import type { TaggedBlock } from '../tagging-run.js';
import { endOfLine, isBlank } from './result-pieces.js';

const LF = 10;

/** Maximum number of bytes of joined messages. */
const mostBytes = 65_536;

/**
 * Yields messages in groups, in order: consecutive small ones are tagged as one block, because starting a block takes
 * as long as tagging a short record.
 *
 * @example
 * const [small, large] = [10, 40_000].map(length => ({ bytes: new Uint8Array(length) }));
 * [...groupsOf([large, small, large])].map(group => group.length) // => [2, 1]
 */
export function* groupsOf<Stream extends Pick<MessageStream, 'bytes' | 'rejected' | 'unreadable'>>(
  streams: readonly Stream[],
): Generator<readonly Stream[], void, undefined> {
  let first = 0;
  let size = 0;
  for (const [i, { bytes, rejected, unreadable }] of streams.entries()) {
    const isAlone = (rejected ?? unreadable) !== undefined;
    const length = isAlone ? mostBytes : bytes.length + 1;
    if (i > first && size + length > mostBytes) {
      yield streams.slice(first, i);
      first = i;
      size = 0;
    }
    size += length;
  }
  if (first < streams.length) yield streams.slice(first);
}

/**
 * Tags messages as one block, in which each record and each result takes one line.
 *
 * @returns each message's results as a separate block, in its share of the common memory; undefined for a message that
 *   must be tagged separately, because the positions and errors of its bad records refer to the message
 */
export async function tagJoined(
  streams: readonly Pick<MessageStream, 'source' | 'bytes'>[],
  tag: (task: BlockTask) => Promise<TaggedBlock>,
): Promise<readonly (TaggedBlock | undefined)[]> {
  const { bytes, ends } = joined(streams);
  const { output, bad } = await tag({
    source: streams[0]!.source,
    block: { bytes, offset: 0, line: 1 },
  });
  const shares: (TaggedBlock | undefined)[] = [];
  let start = 0;
  let from = 0;
  let passed = 0;
  for (const end of ends) {
    const { records, blank } = linesIn(bytes, start, end);
    const before = passed;
    while (passed < bad.length && bad[passed]!.position.start < end) passed += 1;
    const to = afterLines(output, from, records - (passed - before));
    const share = { output: output.subarray(from, to), records, read: records, blank, bad: [] };
    shares.push(passed > before ? undefined : share);
    start = end;
    from = to;
  }
  return shares;
}

/** Returns the bytes of all messages, each up to the end of its last line, and the offsets of their ends. */
function joined(streams: readonly Pick<MessageStream, 'bytes'>[]): {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: readonly number[];
} {
  const most = streams.reduce((sum, { bytes }) => sum + bytes.length + 1, 0);
  const all = new Uint8Array(most);
  const ends: number[] = [];
  let end = 0;
  for (const { bytes } of streams) {
    all.set(bytes, end);
    end += bytes.length;
    if (bytes.length > 0 && bytes[bytes.length - 1] !== LF) {
      all[end] = LF;
      end += 1;
    }
    ends.push(end);
  }
  return { bytes: all.subarray(0, end), ends };
}

function linesIn(bytes: Uint8Array, start: number, end: number) {
  let records = 0;
  let blank = 0;
  for (let at = start; at < end; ) {
    const lineEnd = endOfLine(bytes, at, end);
    if (isBlank(bytes, at, lineEnd)) blank += 1;
    else records += 1;
    at = lineEnd;
  }
  return { records, blank };
}

function afterLines(bytes: Uint8Array, from: number, lines: number): number {
  let at = from;
  for (let line = 0; line < lines; line += 1) at = endOfLine(bytes, at, bytes.length);
  return at;
}
