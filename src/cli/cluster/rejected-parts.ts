import { createReadStream } from 'node:fs';
import { maxRejectedBytes, readRejected } from '../../io/dead-letters/rejected-record.js';
import { withRotations } from '../../io/dead-letters/rotation-name.js';
import { splitLines } from '../../io/lines/lines.js';
import type { Stretch } from '../../io/nats/verification/covered-bytes.js';

/** The rejected records of a stream by the number of their message, each once, from dead-letter files. */
export async function rejectedParts(
  files: readonly string[],
  transport: string,
): Promise<ReadonlyMap<number, readonly Stretch[]>> {
  const found = new Map<number, Map<number, Stretch>>();
  for (const file of files.flatMap(each => withRotations(each))) {
    const lines = splitLines(createReadStream(file), { maxLineBytes: maxRejectedBytes });
    for await (const some of lines) {
      for (const { text } of some) {
        const { source, start, end } = readRejected(text).position;
        const sequence = Number(source.slice(transport.length + 1));
        if (!source.startsWith(`${transport}#`) || !Number.isInteger(sequence)) continue;
        const known = found.get(sequence) ?? new Map<number, Stretch>();
        found.set(sequence, known.set(start, { start, end }));
      }
    }
  }
  return new Map([...found].map(([sequence, parts]) => [sequence, [...parts.values()]]));
}
