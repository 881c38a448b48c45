/** Says on the standard error how many blank lines were skipped, if any. */
export function tellBlankLines(count: number): void {
  if (count > 0) process.stderr.write(`tagstream: ${count} blank lines were skipped\n`);
}
