/**
 * A number with its noun, in the singular for one.
 *
 * @param shown how the number is written; default: as it is
 * @example
 * counted(1, 'tag') // => '1 tag'
 * counted(2, 'tag') // => '2 tags'
 * counted(1200, 'record', '1,200') // => '1,200 records'
 */
export function counted(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? '' : 's'}`;
}
