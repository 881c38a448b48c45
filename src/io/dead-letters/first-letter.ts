import { TagstreamError } from '../../core/errors.js';
import type { BadRecord } from '../bad-records/bad-record.js';
import { splitLines } from '../lines/lines.js';
import { openInput } from '../reading/open-input.js';
import { maxLetterBytes, readLetter } from './letter.js';

/**
 * The first letter of some files, to see where their letters come from; undefined if there is none.
 *
 * @throws TagstreamError `file` if a file cannot be read
 * @example
 * await firstLetter(['/dev/null']) // => undefined
 */
export async function firstLetter(files: readonly string[]): Promise<BadRecord | undefined> {
  for (const file of files) {
    const input = await openInput(file);
    try {
      for await (const lines of splitLines(input.chunks, { maxLineBytes: maxLetterBytes })) {
        for (const { text } of lines) {
          const letter = letterOf(text);
          if (letter !== undefined) return letter;
        }
      }
    } finally {
      input.close();
    }
  }
  return undefined;
}

function letterOf(text: string): BadRecord | undefined {
  try {
    return readLetter(text);
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return undefined;
    throw thrown;
  }
}
