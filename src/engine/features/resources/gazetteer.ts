import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Tokenizer } from '../../text/tokenizers/tokenizer.js';
import type { Gazetteer, Resources } from './resources.js';

/**
 * Returns a list of names for `%gazetteer`, from entries or from text with one entry per line.
 *
 * An entry is one or more tokens separated by white space: `St. John 's`. With a tokenizer, an
 * entry also matches the tokens that the tokenizer finds in it: `St. John's`. `train` and pipeline
 * files use the tokenizer of their texts. Blank lines are skipped; there are no comments, because
 * names may begin with any character. Cost O(n log n) for n entries.
 *
 * @param options.fold ignores case; default false
 * @param options.tokenizer splits entries into tokens; default: only at white space
 * @example
 * gazetteer(['New York', 'Bath', 'New  York']) // => ({ text: 'Bath\nNew York', fold: false })
 * gazetteer('Bath\nBATH\n', { fold: true }).text // => 'bath'
 * gazetteer(['Acme Inc.'], { tokenizer: regexTokenizer() }).text // => 'Acme Inc .\nAcme Inc.'
 */
export function gazetteer(
  entries: string | readonly string[],
  options: {
    readonly fold?: boolean | undefined;
    readonly tokenizer?: Tokenizer | undefined;
  } = {},
): Gazetteer {
  if (typeof entries !== 'string') requireArgument('gazetteer: the entries', entries, kinds.texts);
  requireKnown('gazetteer', options, ['fold', 'tokenizer']);
  const { fold = false, tokenizer } = options;
  const lines = typeof entries === 'string' ? entries.split('\n') : entries;
  const distinct = new Set<string>();
  for (const line of lines) {
    const entry = line.trim().replace(/\s+/g, ' ');
    if (entry === '') continue;
    distinct.add(fold ? entry.toLowerCase() : entry);
    if (tokenizer !== undefined) addTokenized(distinct, entry, tokenizer, fold);
  }
  return { text: [...distinct].sort().join('\n'), fold };
}

/**
 * Returns lists whose gazetteers also match the tokens that a tokenizer finds in their entries.
 *
 * @example
 * const towns = gazetteer(["St. John's", 'Bath']);
 * tokenizedLists({ gazetteers: { towns } }, regexTokenizer()).gazetteers.towns.text
 * // => "Bath\nSt. John 's\nSt. John's"
 */
export function tokenizedLists(resources: Resources, tokenizer: Tokenizer): Resources {
  if (resources.gazetteers === undefined) return resources;
  const lists = Object.entries(resources.gazetteers).map(([name, { text, fold }]) => [
    name,
    gazetteer(text, { fold, tokenizer }),
  ]);
  return { ...resources, gazetteers: Object.fromEntries(lists) };
}

/**
 * Adds the tokens of an entry, joined by blanks. A tokenizer may depend on the text after an entry,
 * and on case, which a folded list ignores.
 */
function addTokenized(
  forms: Set<string>,
  entry: string,
  tokenizer: Tokenizer,
  fold: boolean,
): void {
  const followers = /[\p{L}\p{M}\p{N}]$/u.test(entry) ? [''] : ['', ' a', ', a'];
  for (const cased of fold ? casesOf(entry) : [entry]) {
    for (const follower of followers) {
      const ranges = tokenizer(cased + follower).filter(([start]) => start < cased.length);
      // A token that extends past the entry does not belong to it.
      if (ranges.length === 0 || ranges.at(-1)![1] > cased.length) continue;
      const tokens = ranges.map(([start, end]) => cased.slice(start, end)).join(' ');
      forms.add(fold ? tokens.toLowerCase() : tokens);
    }
  }
}

/**
 * Returns an entry in the cases in which texts may contain it: as written, lower, upper, and with
 * initial capitals.
 */
function casesOf(entry: string): Set<string> {
  const lower = entry.toLowerCase();
  const title = lower.replace(/(?<=^|\s)\p{Ll}/gu, letter => letter.toUpperCase());
  const cases = [entry, lower, entry.toUpperCase(), title];
  return new Set(cases.filter(cased => cased.toLowerCase() === lower));
}
