/** Characters that columns are separated by in files that spreadsheets write. */
const delimiters = { ',': 'commas', ';': 'semicolons' } as const;

/**
 * What separates the columns of a file if it is neither tabs nor blanks: found in nine of ten lines, and in the first.
 *
 * @param lines without blank ones
 * @example
 * delimiterOf(['word,tag', 'Ann,B-PER']) // => ','
 * delimiterOf(['Ann\tB-PER']) // => undefined
 */
export function delimiterOf(lines: readonly string[]): ',' | ';' | undefined {
  if (lines.some(line => line.includes('\t'))) return undefined;
  return ([',', ';'] as const).find(
    each =>
      lines[0]?.includes(each) === true &&
      lines.filter(line => line.includes(each)).length >= 0.9 * lines.length,
  );
}

/** How rows with them become rows with tabs. */
export function withTabs(delimiter: ',' | ';', lines: readonly string[], file: string): string {
  const what = delimiters[delimiter];
  return lines.some(line => line.includes('"'))
    ? `replace the ${what} by tabs, outside of quotes: export it as TSV without quotes; and put a blank line after each sentence`
    : `replace the ${what} by tabs: tr '${delimiter}' '\\t' < ${file} > labelled.tsv; and put a blank line after each sentence`;
}
