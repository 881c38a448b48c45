/**
 * Runs of `size` tokens that follow each other and lie in a window of `reach` tokens to both sides;
 * `@` in the pattern stands for the offset.
 *
 * @example
 * sequences(2, 1, '%x[@,0]') // => ['%x[-1,0]/%x[0,0]', '%x[0,0]/%x[1,0]']
 */
export function sequences(size: number, reach: number, pattern: string): string[] {
  const lines: string[] = [];
  for (let first = -reach; first + size - 1 <= reach; first += 1) {
    const macros = Array.from({ length: size }, (_, i) => pattern.replace('@', String(first + i)));
    lines.push(macros.join('/'));
  }
  return lines;
}
