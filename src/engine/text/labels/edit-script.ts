import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { lowerCase, lowerCaseWithDotlessI, titleCase } from './letter-case.js';

/** Changes to the case of a form before it is edited, by the first letter of a script. */
const casings: Readonly<Record<string, (form: string) => string>> = {
  l: lowerCase,
  s: form => form,
  t: titleCase,
  u: form => form.toUpperCase(),
  d: lowerCaseWithDotlessI,
};

/**
 * Costs of the casings in addition to the edits. Lower case and the unchanged form are free, so
 * that most words have one of these casings.
 */
const casingCosts: Readonly<Record<string, number>> = { l: 0, s: 0, t: 1, u: 1, d: 1 };

/**
 * Cost of a change in addition to its letters, so that letters that are equal by chance do not
 * split it.
 */
const changeCost = 3;

/** Maximum product of the numbers of letters of a form and a lemma that are compared. */
const mostPairs = 1 << 18;

/**
 * A step of a script, from one end of the word towards the stem: the number of letters to keep,
 * followed by the letters to delete and to insert.
 */
interface Step {
  readonly stay: number;
  readonly cut: number;
  readonly put: string;
}

/** A parsed edit script. */
export interface ParsedScript {
  /** The whole lemma, if it shares nothing with the form. */
  readonly whole?: string;
  readonly casing: string;
  /** Whether letters and their marks are edited one by one. */
  readonly decomposed: boolean;
  /** Steps from the first letter on. */
  readonly start: readonly Step[];
  /** Steps from the last letter backwards; inserted letters are in reading order. */
  readonly end: readonly Step[];
}

/** Options of `editScript`. */
export interface EditScriptOptions {
  /**
   * Whether letters and their marks are edited one by one, so that an accent that moves gives a
   * short script. Default false.
   */
  readonly decompose?: boolean | undefined;
}

/**
 * Returns the shortest edit script that turns a form into its lemma, so that words with the same inflection share a script.
 *
 * A script consists of the change of case (`l` lower case, `s` unchanged, `t` first letter upper,
 * `u` upper case, `d` lower case with a dotless i for I), the changes from the start, `*` for the
 * stem, and the changes from the end backwards: `>2` keeps two letters, `-3` deletes three, `+y`
 * inserts y. The changes are those with the fewest letters in the fewest places; lower case is
 * preferred, then the longest stem, then the first. `=lemma` is the lemma itself, if it keeps
 * nothing of the form. Letters are code points, case does not depend on the locale. Cost O(letters
 * of the form * letters of the lemma); above 262,144 the script is the lemma itself.
 *
 * `applyScript(form, editScript(form, lemma))` is `lemma`, for all texts.
 *
 * @param options.decompose whether letters and marks are edited one by one (Unicode NFD), which a
 * capital case letter indicates: `L*-2`
 * @example
 * editScript('Flies', 'fly') // => 'l*-3+y'
 * editScript('Mütter', 'Mutter') // => 's>1-1+u*'
 * editScript('went', 'go') // => '=go'
 * editScript('ανθρώπων', 'άνθρωπος', { decompose: true }) // => "L>1+\u0301*-4+πος"
 */
export function editScript(form: string, lemma: string, options: EditScriptOptions = {}): string {
  requireArgument('editScript: the form', form, kinds.text);
  requireArgument('editScript: the lemma', lemma, kinds.text);
  requireKnown('editScript', options, ['decompose']);
  const { decompose = false } = options;
  if (decompose) {
    const script = cheapest(form, lemma, true);
    if (script !== undefined && applyScript(form, script) === lemma) return script;
  }
  return cheapest(form, lemma, false) ?? `=${lemma}`;
}

/**
 * Applies an edit script of `editScript` to a form.
 *
 * @returns undefined if the script is invalid or does not fit: it keeps and deletes more letters
 * than the form has
 * @example
 * applyScript('tries', 'l*-3+y') // => 'try'
 * applyScript('as', 'l*-3+y') // => undefined
 */
export function applyScript(form: string, script: string): string | undefined {
  requireArgument('applyScript: the form', form, kinds.text);
  requireArgument('applyScript: the script', script, kinds.text);
  const parsed = parseScript(script);
  return parsed === undefined ? undefined : applyParsed(form, parsed);
}

/** Does the same as `applyScript`, for a parsed script. */
export function applyParsed(form: string, script: ParsedScript): string | undefined {
  if (script.whole !== undefined) return script.whole;
  const { casing, decomposed, start, end } = script;
  const cased = casings[casing]!(form);
  const short = decomposed || start.length > 0 ? undefined : endedOtherwise(cased, end);
  if (short !== undefined) return short;
  const letters = [...(decomposed ? cased.normalize('NFD') : cased)];
  let from = 0;
  let before = '';
  for (const { stay, cut, put } of start) {
    before += letters.slice(from, from + stay).join('') + put;
    from += stay + cut;
  }
  let to = letters.length;
  let behind = '';
  for (const { stay, cut, put } of end) {
    behind = put + letters.slice(Math.max(0, to - stay), Math.max(0, to)).join('') + behind;
    to -= stay + cut;
  }
  // The stem must have at least one letter, as in all generated scripts.
  if (from >= to) return undefined;
  const lemma = before + letters.slice(from, to).join('') + behind;
  return decomposed ? lemma.normalize('NFC') : lemma;
}

/**
 * Returns the lemma for the most frequent scripts, which change at most the last letters, without dividing the form
 * into letters; undefined if the form is too short or has surrogates at its end.
 */
function endedOtherwise(cased: string, end: readonly Step[]): string | undefined {
  const { length } = cased;
  if (end.length === 0) return length === 0 ? undefined : cased;
  const { stay, cut, put } = end[0]!;
  if (end.length > 1 || stay > 0 || cut >= length) return undefined;
  for (let i = length - cut; i < length; i += 1) {
    if ((cased.charCodeAt(i) & 0xf800) === 0xd800) return undefined;
  }
  return cased.slice(0, length - cut) + put;
}

const scriptForm =
  /^([lstudLSTUD])((?:[>-]\d+|\+(?:[^-+>*\\]|\\[-+>*\\])+)*)\*((?:[>-]\d+|\+(?:[^-+>*\\]|\\[-+>*\\])+)*)$/su;
const stepForm = /(?:>(\d+))?(?:-(\d+))?(?:\+((?:[^-+>*\\]|\\.)+))?/suy;

/** Parses a script; undefined if it is invalid. */
export function parseScript(script: string): ParsedScript | undefined {
  if (script.startsWith('=')) {
    return { whole: script.slice(1), casing: 's', decomposed: false, start: [], end: [] };
  }
  const found = scriptForm.exec(script);
  if (found === null) return undefined;
  const [, letter = '', start = '', end = ''] = found;
  const casing = letter.toLowerCase();
  return { casing, decomposed: letter !== casing, start: stepsOf(start), end: stepsOf(end) };
}

function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (stepForm.lastIndex = 0; stepForm.lastIndex < text.length; ) {
    const [, stay = '0', cut = '0', put = ''] = stepForm.exec(text)!;
    steps.push({ stay: Number(stay), cut: Number(cut), put: put.replace(/\\(.)/gsu, '$1') });
  }
  return steps;
}

/** Returns the cheapest script over all casings; undefined if the whole lemma is cheaper. */
function cheapest(form: string, lemma: string, decomposed: boolean): string | undefined {
  const split = (text: string) => [...(decomposed ? text.normalize('NFD') : text)];
  const wanted = split(lemma);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  const tried = new Set<string>();
  for (const [casing, cost] of Object.entries(casingCosts)) {
    const cased = casings[casing]!(form);
    if (tried.has(cased)) continue;
    tried.add(cased);
    const found = shortest(split(cased), wanted);
    if (found === undefined || found.cost + cost >= least) continue;
    least = found.cost + cost;
    best = (decomposed ? casing.toUpperCase() : casing) + found.text;
  }
  return best;
}

/**
 * Returns the edits that turn one text into another; undefined if replacing the whole text is as
 * cheap.
 */
function shortest(
  from: readonly string[],
  to: readonly string[],
): { cost: number; text: string } | undefined {
  const [n, m] = [from.length, to.length];
  if (n > 0 && n === m && from.every((letter, i) => letter === to[i])) {
    return { cost: 0, text: '*' };
  }
  if (n * m > mostPairs) return undefined;
  const before = new Changes(from, to);
  const behind = new Changes([...from].reverse(), [...to].reverse());
  let best: { cost: number; i: number; j: number; length: number } | undefined;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < m; j += 1) {
      if (from[i] !== to[j] || (i > 0 && j > 0 && from[i - 1] === to[j - 1])) continue;
      let length = 1;
      while (i + length < n && j + length < m && from[i + length] === to[j + length]) length += 1;
      const cost = before.cost(i, j) + behind.cost(n - i - length, m - j - length);
      const order = best === undefined ? -1 : cost - best.cost || best.length - length;
      if (order < 0) best = { cost, i, j, length };
    }
  }
  if (best === undefined || best.cost >= n + m + changeCost) return undefined;
  const { cost, i, j, length } = best;
  const start = before.path(i, j).reverse();
  const end = behind.path(n - i - length, m - j - length).reverse();
  return { cost, text: `${written(start, false)}*${written(end, true)}` };
}

/** An edit of one letter: keep, delete or insert. */
type Move = '>' | '-' | `+${string}`;

/** Writes moves as text; the moves at the end of a word come in reverse order. */
function written(moves: readonly Move[], reversed: boolean): string {
  let text = '';
  for (let i = 0; i < moves.length; ) {
    const first = i;
    if (moves[i] === '>') {
      while (moves[i] === '>') i += 1;
      text += `>${i - first}`;
      continue;
    }
    const put: string[] = [];
    let cut = 0;
    for (; i < moves.length && moves[i] !== '>'; i += 1) {
      if (moves[i] === '-') cut += 1;
      else put.push(moves[i]!.slice(1));
    }
    if (reversed) put.reverse();
    if (cut > 0) text += `-${cut}`;
    if (put.length > 0) text += `+${put.join('').replace(/[-+>*\\]/g, '\\$&')}`;
  }
  return text;
}

/**
 * The cheapest changes from each prefix of a text to each prefix of another (Wagner and Fischer
 * 1974, with an initial cost per change).
 */
class Changes {
  readonly #to: readonly string[];
  readonly #width: number;
  /** Costs if the last letters are kept, and costs if the last move is a change. */
  readonly #kept: Float64Array;
  readonly #changed: Float64Array;

  constructor(from: readonly string[], to: readonly string[]) {
    this.#to = to;
    const width = to.length + 1;
    this.#width = width;
    const size = (from.length + 1) * width;
    const kept = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
    const changed = kept.slice();
    kept[0] = 0;
    for (let i = 0, at = 0; i <= from.length; i += 1) {
      for (let j = 0; j <= to.length; j += 1, at += 1) {
        if (i > 0 && j > 0 && from[i - 1] === to[j - 1]) {
          const before = at - width - 1;
          kept[at] = Math.min(kept[before]!, changed[before]!);
        }
        let least = Number.POSITIVE_INFINITY;
        if (i > 0) least = this.#change(kept, changed, at - width);
        if (j > 0) least = Math.min(least, this.#change(kept, changed, at - 1));
        changed[at] = least;
      }
    }
    this.#kept = kept;
    this.#changed = changed;
  }

  /** Returns the cost of the changes from the first `i` letters to the first `j`. */
  cost(i: number, j: number): number {
    const at = i * this.#width + j;
    return Math.min(this.#kept[at]!, this.#changed[at]!);
  }

  /**
   * Returns the moves of the cheapest changes, the last one first. Insertions come before
   * deletions.
   */
  path(i: number, j: number): Move[] {
    const moves: Move[] = [];
    let changing = false;
    while (i > 0 || j > 0) {
      const at = i * this.#width + j;
      const kept = this.#kept[at]!;
      const changed = this.#changed[at]!;
      // Within a change, starting a new one here would cost extra.
      const stays = changing ? kept + changeCost <= changed : kept <= changed;
      if (stays) {
        moves.push('>');
        i -= 1;
        j -= 1;
        changing = false;
        continue;
      }
      changing = true;
      if (j > 0 && this.#change(this.#kept, this.#changed, at - 1) === changed) {
        moves.push(`+${this.#to[j - 1]!}`);
        j -= 1;
      } else {
        moves.push('-');
        i -= 1;
      }
    }
    return moves;
  }

  #change(kept: Float64Array, changed: Float64Array, before: number): number {
    return 1 + Math.min(changed[before]!, kept[before]! + changeCost);
  }
}
