import { TagstreamError } from '../../../engine/core/errors.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import { splitLines } from '../../../formats/lines/line-splitter.js';
import { openInput } from '../../../formats/reading/open-input.js';
import { maxRejectedBytes, readRejected } from './rejected-record.js';

/**
 * Returns the first rejected record in the files, which shows their origin; undefined if there is none.
 *
 * @throws TagstreamError `file` if a file cannot be read
 * @example
 * await firstRejected(['/dev/null']) // => undefined
 */
export async function firstRejected(files: readonly string[]): Promise<BadRecord | undefined> {
  for (const file of files) {
    const input = await openInput(file);
    try {
      for await (const lines of splitLines(input.chunks, { maxLineBytes: maxRejectedBytes })) {
        for (const { text } of lines) {
          const record = rejectedOf(text);
          if (record !== undefined) return record;
        }
      }
    } finally {
      input.close();
    }
  }
  return undefined;
}

function rejectedOf(text: string): BadRecord | undefined {
  try {
    return readRejected(text);
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return undefined;
    throw thrown;
  }
}
