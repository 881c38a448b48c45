/** Formats with one token per line, in which a blank line ends a record. */
const inBlocks: ReadonlySet<string> = new Set(['conll', 'conllu', 'crfsuite', 'webanno']);
const inLines: ReadonlySet<string> = new Set(['ndjson', 'text', 'slash', 'letters', 'spans']);

/**
 * Returns what ends each record of an output, if it follows from the format of the input.
 *
 * @example
 * [recordEndOf('ndjson'), recordEndOf('conll'), recordEndOf('of-a-plugin')] // => ['\n', '\n\n', undefined]
 */
export function recordEndOf(format: string): string | undefined {
  if (inBlocks.has(format)) return '\n\n';
  return inLines.has(format) ? '\n' : undefined;
}
