/** Abbreviations that something always follows: titles, and what introduces an example or a comparison. */
const neverLast = new Set(
  `Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Hon Gen Col Maj Capt Cmdr Lt Sgt Cpl Sen Rep Gov Pres Supt Insp
  St Mt Ft Hr Fr Mme Mlle Sra Srta Dña Dra
  e.g E.g i.e I.e cf Cf viz vs Vs v v.s approx Approx ca bzw z.B Z.B d.h D.h u.a p.ej P.ej`.split(
    /\s+/,
  ),
);

/** Abbreviations that something follows where a number does. */
const beforeNumbers = new Set(
  `No no Nos nos Nr nr Fig fig Figs figs Eq eq Eqs eqs Sec sec Sect sect Ch ch Chap chap Vol vol Art art
  Par par p pp P Pp Tab tab Ref ref Refs refs
  Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec`.split(/\s+/),
);

/** Words that begin a sentence far more often than they follow initials in a name. */
const starters = new Set(
  `The This That These Those There Then He She It They We You I In On At By For From With When While If
  But And So Or As After Before My His Her Their Our Its What Who Why How Where Not No Yes`.split(
    /\s+/,
  ),
);

const lastWord = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}.]+$/u;
const initial = /^\p{Lu}\p{M}*$/u;
const initials = /^\p{Lu}\p{M}*(?:\.\p{Lu}\p{M}*)+$/u;
const number = /^\p{N}/u;

/** More than the longest abbreviation has, so that only the end of a long text is looked at. */
const longest = 24;

/**
 * Whether the full stop that ends `text[0, end)` belongs to an abbreviation that does not end a
 * sentence before the word `next`: a title, `e.g.`, an initial (`J.`), initials in a row unless a word
 * like `The` follows, `Fig.` or `Jan.` before a number. False where no full stop is there.
 *
 * @example
 * endsInAbbreviation('I saw Dr.', 9, 'Jones') // => true
 * endsInAbbreviation('See Fig.', 8, '3') // => true
 * endsInAbbreviation('a ripe fig.', 11, 'Then') // => false
 */
export function endsInAbbreviation(text: string, end: number, next: string): boolean {
  if (text[end - 1] !== '.') return false;
  const word = lastWord.exec(text.slice(Math.max(0, end - 1 - longest), end - 1))?.[0];
  if (word === undefined) return false;
  if (neverLast.has(word)) return true;
  if (beforeNumbers.has(word) && number.test(next)) return true;
  // `I` is more often the pronoun: `So did I. Then ...`
  if (word === 'I' || initials.test(word)) return !starters.has(next);
  return initial.test(word);
}
