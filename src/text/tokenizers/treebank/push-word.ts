import type { Range } from '../../../core/sentence/document.js';
import { isApostrophe } from './character-classes.js';

/** Words that are two tokens, and where the second begins. */
const joined: ReadonlyMap<string, number> = new Map([
  ['cannot', 3],
  ['gonna', 3],
  ['gotta', 3],
  ['wanna', 3],
  ['gimme', 3],
  ['lemme', 3],
  ["d'ye", 2],
  ["more'n", 4],
]);

/**
 * Appends the word `[start, end)` as the tokens that it is: `do` and `n't`, `can` and `not`, `we` and `'d` and
 * `'ve`. Changes `ranges`.
 *
 * @example
 * const ranges = [];
 * pushWord(ranges, "couldn't've", 0, 11);
 * ranges // => [[0, 5], [5, 8], [8, 11]]
 */
export function pushWord(ranges: Range[], text: string, start: number, end: number): void {
  const cuts: number[] = [];
  let last = end;
  for (
    let cut = cliticStart(text, start, last);
    cut > start;
    cut = cliticStart(text, start, last)
  ) {
    cuts.push(cut);
    last = cut;
  }
  const length = last - start;
  if (length >= 4 && length <= 6) {
    const second = joined.get(text.slice(start, last).toLowerCase().replace('’', "'"));
    if (second !== undefined) cuts.push(start + second);
  }
  let from = start;
  for (let i = cuts.length - 1; i >= 0; i -= 1) {
    ranges.push([from, cuts[i]!]);
    from = cuts[i]!;
  }
  ranges.push([from, end]);
}

/** Where the clitic begins that a word ends in; its start if there is none, or nothing before it. */
function cliticStart(text: string, start: number, end: number): number {
  const unit = (back: number) => (end - back > start ? text.charCodeAt(end - back) : 0);
  const letter = (back: number) => String.fromCharCode(unit(back) | 0x20);
  if (isApostrophe(unit(2))) {
    if ('smd'.includes(letter(1))) return end - 2;
    if (letter(1) === 't' && letter(3) === 'n') return end - 3;
  } else if (isApostrophe(unit(3)) && ['ll', 're', 've'].includes(letter(2) + letter(1))) {
    return end - 3;
  }
  return start;
}
