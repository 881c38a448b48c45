import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { type LanguageList, languageLists } from './abbreviation-lists.js';

/** Abbreviations of a language in the form used for lookup; see `LanguageList`. */
export interface Abbreviations {
  /** Abbreviations that are always followed by something. */
  readonly always: ReadonlySet<string>;
  readonly beforeNumbers: ReadonlySet<string>;
  readonly unlessCounted: ReadonlySet<string>;
  readonly starters: ReadonlySet<string>;
  /** Abbreviations that may end a sentence. If present, Roman numerals count as numbers. */
  readonly ends?: ReadonlySet<string>;
  /**
   * First parts of multi-part abbreviations, each with a space and the next part: `z B`. Undefined
   * if no abbreviation has a space.
   */
  readonly parts?: ReadonlySet<string>;
  readonly ordinals?: 'dates' | 'names' | undefined;
}

/**
 * Abbreviations for English, and for every language without a list. Learned tokenizers use them as
 * features: a change here, or in `starters`, changes the predictions of existing models.
 */
const english: Abbreviations = {
  always:
    wordsOf(`Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Hon Gen Col Maj Capt Cmdr Lt Sgt Cpl Sen Rep Gov Pres Supt Insp
    St Mt Ft Hr Fr Mme Mlle Sra Srta Dña Dra
    e.g E.g i.e I.e cf Cf viz vs Vs v v.s approx Approx ca bzw z.B Z.B d.h D.h u.a p.ej P.ej`),
  beforeNumbers:
    wordsOf(`No no Nos nos Nr nr Fig fig Figs figs Eq eq Eqs eqs Sec sec Sect sect Ch ch Chap chap Vol vol Art art
    Par par p pp P Pp Tab tab Ref ref Refs refs
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec`),
  unlessCounted: new Set(),
  starters:
    wordsOf(`The This That These Those There Then He She It They We You I In On At By For From With When While If
    But And So Or As After Before My His Her Their Our Its What Who Why How Where Not No Yes`),
};

const lastWord = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}.]{1,24}$/u;
const lastChunk = /[^\s(["'“‘«„]{1,24}$/u;
const lastLetters = /[\p{L}\p{M}]{1,24}$/u;
const initial = /^\p{Lu}\p{M}*$/u;
const initials = /^\p{Lu}\p{M}*(?:\.\p{Lu}\p{M}*)+$/u;
const number = /^\p{N}/u;
const roman = /^[IVXLC]+$/;
const upperCase = /^\p{Lu}/u;
const fullStop = /\.[ \u00a0\u202f\n]?/;
const counted = /\p{N}\s*$/u;
const day = /(?<![\p{L}\p{N}.,:/–-])(?:\p{Nd}{1,2}\. ?)?\p{Nd}{1,2}$/u;
const ordinal = /(?<![\p{L}\p{N}.,:/–-])(?:\p{Nd}{1,3}|[IVXL]{2,6})$/u;

/**
 * Length greater than that of any abbreviation, so that only the end of a long text is examined.
 */
const longest = 24;
const mostParts = 4;

/** Suffix of an abbreviation that is one only before numbers, as in the lists of Moses. */
const numbersOnly = /(?<!\s)\s+#NUMERIC_ONLY#$/;
const abbreviation = /^(?=.{1,24}$)[\p{L}\p{M}]+(?:[.:'’-]+ ?[\p{L}\p{M}]+)*\.?$/u;

/**
 * Returns whether the full stop that ends `text[0, end)` belongs to an abbreviation that does not
 * end a sentence before the word `next`: a title, `e.g.`, an initial (`J.`), initials in a row
 * unless a word like `The` follows, `Fig.` or `Jan.` before a number; in some languages an ordinal,
 * as in `3. Oktober`. False if there is no full stop. Examines the last 25 units before it.
 *
 * @example
 * endsInAbbreviation('I saw Dr.', 9, 'Jones') // => true
 * endsInAbbreviation('See Fig.', 8, '3') // => true
 * endsInAbbreviation('a ripe fig.', 11, 'Then') // => false
 */
export function endsInAbbreviation(
  text: string,
  end: number,
  next: string,
  known: Abbreviations = english,
): boolean {
  if (text[end - 1] !== '.') return false;
  const before = text.slice(Math.max(0, end - 1 - longest), end - 1);
  if (known.ordinals !== undefined && isOrdinal(before, next, known)) return true;
  const word = lastWord.exec(before)?.[0];
  if (word === undefined) return false;
  if (known.ends !== undefined && endsAnyway(before, word, known.ends)) {
    return isInitials(word) && !known.starters.has(next);
  }
  if (known.always.has(word)) return true;
  const isNumber = number.test(next) || (known.ends !== undefined && roman.test(next));
  if (known.beforeNumbers.has(word) && isNumber) return true;
  if (known.parts !== undefined && isPart(before, word, next, known)) return true;
  // `I` is more often the pronoun than an initial: `So did I. Then ...`
  if (word === 'I' || initials.test(word)) return !known.starters.has(next);
  return initial.test(word);
}

function isOrdinal(before: string, next: string, { ordinals, starters }: Abbreviations): boolean {
  if (number.test(next)) return day.test(before);
  return (
    ordinals === 'names' && upperCase.test(next) && !starters.has(next) && ordinal.test(before)
  );
}

function isInitials(word: string): boolean {
  return initial.test(word) || initials.test(word);
}

function endsAnyway(before: string, word: string, ends: ReadonlySet<string>): boolean {
  return (
    ends.has(word) ||
    ends.has(lastChunk.exec(before)?.[0] ?? '') ||
    someJoined(before, each => ends.has(each))
  );
}

/**
 * Returns whether a predicate is true for the last one or more parts of a text, joined by full
 * stops without spaces.
 */
function someJoined(before: string, holds: (joined: string, count: number) => boolean): boolean {
  const pieces = before.split(fullStop);
  for (let count = 1; count <= Math.min(mostParts, pieces.length); count += 1) {
    const [head, ...others] = pieces.slice(-count);
    const first = lastLetters.exec(head!)?.[0];
    if (first === undefined) return false;
    if (holds([first, ...others].join('.'), count)) return true;
  }
  return false;
}

/**
 * Returns whether a text ends in an abbreviation of several parts, separated by spaces or hyphens,
 * or inside one.
 */
function isPart(
  before: string,
  word: string,
  next: string,
  { always, beforeNumbers, unlessCounted, parts }: Abbreviations,
): boolean {
  if (unlessCounted.has(word)) return !counted.test(before.slice(0, -word.length));
  const chunk = lastChunk.exec(before)?.[0];
  if (chunk !== undefined && always.has(chunk)) return true;
  const following = lettersFrom(next);
  return someJoined(
    before,
    (joined, count) =>
      parts!.has(`${joined} ${following}`) ||
      (count > 1 && (always.has(joined) || (beforeNumbers.has(joined) && number.test(next)))),
  );
}

const byLanguage = new Map<string, Abbreviations>();
const withOwn = new WeakMap<readonly string[], Map<string, Abbreviations>>();

/**
 * Returns the abbreviations of a language and additional ones.
 *
 * @param own additional abbreviations, with or without their last full stop; followed by
 * ` #NUMERIC_ONLY#` if valid only before a number
 * @throws TagstreamError `config` if one of `own` is not an abbreviation
 */
export function abbreviationsOf(language: string, own?: readonly string[]): Abbreviations {
  const list = languageLists[language];
  let known = list === undefined ? english : byLanguage.get(language);
  if (known === undefined) {
    known = listOf(list!);
    byLanguage.set(language, known);
  }
  if (own === undefined || own.length === 0) return known;
  let made = withOwn.get(own);
  if (made === undefined) {
    made = new Map();
    withOwn.set(own, made);
  }
  let all = made.get(language);
  if (all === undefined) {
    all = withMore(known, own);
    made.set(language, all);
  }
  return all;
}

/** Returns whether a language has its own list. */
export function hasAbbreviations(language: string): boolean {
  return languageLists[language] !== undefined;
}

function listOf(list: LanguageList): Abbreviations {
  const always = bothCases(list.always);
  const beforeNumbers = bothCases(list.numbers ?? '');
  const ends = bothCases(list.ends ?? '');
  return {
    ...{ always, beforeNumbers, ends, unlessCounted: bothCases(list.unlessCounted ?? '') },
    starters: wordsOf(list.starters ?? ''),
    parts: partsOf([...always, ...beforeNumbers, ...ends]),
    ordinals: list.ordinals,
  };
}

function withMore(known: Abbreviations, own: readonly string[]): Abbreviations {
  const always = new Set(known.always);
  const beforeNumbers = new Set(known.beforeNumbers);
  const added: string[] = [];
  for (const given of own) {
    requireArgument('abbreviations', given, kinds.text);
    const problem = abbreviationProblem(given);
    if (problem !== undefined) throw new TagstreamError('config', problem);
    const written = given.replace(numbersOnly, '');
    const word = written.replace(/\.$/, '').replace(/\. /g, '.');
    (written === given ? always : beforeNumbers).add(word);
    added.push(word);
  }
  const parts = new Set([...(known.parts ?? []), ...partsOf(added)]);
  return { ...known, always, beforeNumbers, parts };
}

/**
 * Describes the problem with a text as an abbreviation; undefined if it is well-formed.
 *
 * @example
 * abbreviationProblem('z. B.') // => undefined
 * abbreviationProblem('3rd') // => '"3rd" is not an abbreviation: give letters and full stops, at most 24 characters, such as "z. B."'
 */
export function abbreviationProblem(written: string): string | undefined {
  if (abbreviation.test(written.replace(numbersOnly, ''))) return undefined;
  const shown = JSON.stringify(written.slice(0, 40));
  return `${shown} is not an abbreviation: give letters and full stops, at most 24 characters, such as "z. B."`;
}

/**
 * Parses a file of abbreviations, one per line, such as those of Moses (`nonbreaking_prefix.de`); empty lines and lines that
 * begin with `#` are ignored.
 *
 * @throws TagstreamError `wrong-shape` at a line that is not an abbreviation
 * @example
 * parseAbbreviations('# own\nz. B.\nArt #NUMERIC_ONLY#\n') // => ['z. B.', 'Art #NUMERIC_ONLY#']
 */
export function parseAbbreviations(text: string, source?: string): string[] {
  const found: string[] = [];
  for (const [i, row] of text.split(/\r\n|\r|\n/).entries()) {
    const line = row.trim();
    if (line === '' || line.startsWith('#')) continue;
    const problem = abbreviationProblem(line);
    if (problem !== undefined) {
      throw new TagstreamError('wrong-shape', problem, {
        place: { ...(source === undefined ? {} : { source }), line: i + 1 },
      });
    }
    found.push(line);
  }
  return found;
}

function wordsOf(list: string): Set<string> {
  return new Set(list.split(/\s+/).filter(word => word !== ''));
}

/** Returns the words of a list, both unchanged and capitalised for the beginning of a sentence. */
function bothCases(list: string): Set<string> {
  const words = [...wordsOf(list)];
  return new Set(words.flatMap(word => [word, word[0]!.toUpperCase() + word.slice(1)]));
}

function partsOf(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const word of words) {
    for (let at = word.indexOf('.'); at >= 0; at = word.indexOf('.', at + 1)) {
      const rest = lettersFrom(word.slice(at + 1));
      if (rest !== undefined) found.add(`${word.slice(0, at)} ${rest}`);
    }
  }
  return found;
}

function lettersFrom(text: string): string | undefined {
  return /^[\p{L}\p{M}]+/u.exec(text)?.[0];
}
