/** The columns of CoNLL-U after ID and FORM, in the order of the file. */
export const conlluColumns = [
  'lemma',
  'upos',
  'xpos',
  'feats',
  'head',
  'deprel',
  'deps',
  'misc',
] as const;

/** Number of cells in a row. */
export const conlluWidth = conlluColumns.length + 2;

/** A token as it appears in the text of a sentence. */
export interface SurfaceToken {
  /** Units that a tokenizer can find: the words that concatenate to the token, or the token itself. */
  readonly parts: readonly string[];
  /** Whether a space follows the token. */
  readonly isSpaced: boolean;
}

/**
 * Returns the tokens of a CoNLL-U sentence's text. A multiword token is split into its words if they concatenate to it,
 * such as `do` and `n't`; otherwise it is one unit, such as `du` for `de` and `le`. Empty nodes are skipped.
 *
 * @param raw the lines of the sentence
 * @example
 * const row = (id, form, misc = '_') => [id, form, ...Array(7).fill('_'), misc].join('\t');
 * const rows = [row('1-2', "don't", 'SpaceAfter=No'), row(1, 'do'), row(2, "n't"), row(3, '!')];
 * surfaceTokens(rows.join('\n'))
 * // => [{ parts: ['do', "n't"], isSpaced: false }, { parts: ['!'], isSpaced: true }]
 */
export function surfaceTokens(raw: string): SurfaceToken[] {
  return surfaceWords(raw).map(({ form, words, isSpaced }) => ({
    parts: words.join('') === form ? words : [form],
    isSpaced,
  }));
}

/** A token of a CoNLL-U sentence's text, with its words if it has several. */
export interface SurfaceWords {
  readonly form: string;
  readonly last: number;
  /** Words of a multiword token; empty for a token that is a word. */
  readonly words: readonly string[];
  readonly isSpaced: boolean;
  /** Value of the column MISC. */
  readonly misc: string;
}

/** Returns the tokens of a CoNLL-U sentence's text; empty nodes are skipped. */
export function surfaceWords(raw: string): SurfaceWords[] {
  const found: (SurfaceWords & { readonly words: string[] })[] = [];
  for (const line of raw.split('\n')) {
    const cells = line.split('\t');
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(cells[0]!) ?? [];
    if (first === undefined || cells.length !== conlluWidth) continue;
    const form = cells[1]!;
    const before = found.at(-1);
    if (before !== undefined && Number(first) <= before.last) before.words.push(form);
    else {
      const misc = cells[conlluWidth - 1]!;
      found.push({ form, last: Number(last), words: [], isSpaced: isSpacedAfter(misc), misc });
    }
  }
  return found;
}

/**
 * Whether a space follows a token according to its column MISC.
 *
 * @example
 * isSpacedAfter('Gloss=a|SpaceAfter=No') // => false
 */
export function isSpacedAfter(misc: string): boolean {
  return !/(?:^|\|)Space(?:After=No|sAfter=)(?:\||$)/.test(misc);
}

const spaceNames: Readonly<Record<string, string>> = {
  ' ': 's',
  '\t': 't',
  '\n': 'n',
  '\r': 'r',
  '|': 'p',
  '\\': '\\',
};
const namedSpaces = Object.fromEntries(
  Object.entries(spaceNames).map(([unit, name]) => [name, unit]),
);

/**
 * Escapes white space for `SpacesAfter` and `SpacesBefore`: `\\s`, `\\t`, `\\n`, `\\r`, and `\\p` for a vertical bar,
 * as UDPipe does; other white space, which no cell may end with, as `\\u3000`.
 *
 * @example
 * escapedSpaces(' \n') // => '\\s\\n'
 */
export function escapedSpaces(gap: string): string {
  return gap.replace(/[\s\p{Cc}\p{Cs}|\\]/gu, unit => {
    const name = spaceNames[unit];
    return `\\${name ?? `u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`}`;
  });
}

/**
 * Returns the exact white space recorded in MISC; undefined if there is none.
 *
 * @example
 * spacesIn('Gloss=a|SpacesAfter=\\s\\n', 'SpacesAfter') // => ' \n'
 */
export function spacesIn(misc: string, name: 'SpacesAfter' | 'SpacesBefore'): string | undefined {
  const start = misc.startsWith(`${name}=`) ? 0 : misc.indexOf(`|${name}=`) + 1;
  if (start === 0 && !misc.startsWith(`${name}=`)) return undefined;
  const [value = ''] = misc.slice(start + name.length + 1).split('|', 1);
  return value.replace(/\\(?:u([0-9a-f]{4})|([stnrp\\]))/g, (_, code, letter) =>
    code === undefined ? namedSpaces[letter]! : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
