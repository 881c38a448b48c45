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

/** The columns of a file by index. */
export interface ConlluLayout {
  /** Number of cells in a row. */
  readonly width: number;
  /** Index of ID; -1 if rows have no number, so that each is a word. */
  readonly id: number;
  readonly form: number;
  /** Names of the other columns by index: those of CoNLL-U in lower case, others as in the file. */
  readonly names: readonly (string | undefined)[];
}

/**
 * Returns the layout of CoNLL-U, or of CoNLL-U Plus with the columns of its line `# global.columns`.
 *
 * @example
 * conlluLayout(['ID', 'FORM', 'UPOS', 'PARSEME:MWE'])
 * // => ({ width: 4, id: 0, form: 1, names: [undefined, undefined, 'upos', 'PARSEME:MWE'] })
 */
export function conlluLayout(columns: readonly string[] = standardColumns): ConlluLayout {
  const nameOf = (column: string) => {
    if (column === 'ID' || column === 'FORM') return undefined;
    const own = column.toLowerCase();
    return (conlluColumns as readonly string[]).includes(own) ? own : column;
  };
  return {
    width: columns.length,
    id: columns.indexOf('ID'),
    form: columns.indexOf('FORM'),
    names: columns.map(nameOf),
  };
}

const standardColumns = ['ID', 'FORM', ...conlluColumns.map(name => name.toUpperCase())];

const standardLayout = conlluLayout();

/** Returns the columns as named in a format, if they are not those of CoNLL-U. */
export function formatOfColumns(columns: readonly string[] | undefined): string {
  return columns === undefined ? '' : ` columns=${columns.join(',')}`;
}

const layouts = new Map<string, ConlluLayout>();

/** Returns the layout of documents with a format, as `conlluCodec` names it. */
export function layoutOfFormat(format = ''): ConlluLayout {
  const [, columns] = / columns=(\S+)/.exec(format) ?? [];
  if (columns === undefined) return standardLayout;
  const known = layouts.get(columns) ?? conlluLayout(columns.split(','));
  layouts.set(columns, known);
  return known;
}

const columnsComment = /^#\s*global\.columns\s*=(.*)$/;

/**
 * Returns the columns that a comment of CoNLL-U Plus names; undefined for other lines.
 *
 * @example
 * columnsIn('# global.columns = ID FORM UPOS') // => ['ID', 'FORM', 'UPOS']
 */
export function columnsIn(line: string): readonly string[] | undefined {
  const [, columns] = columnsComment.exec(line) ?? [];
  return columns?.trim().split(/\s+/);
}

/**
 * Returns the kind of a row: a word, a range of words that is one token of the text (`1-2`), or an empty node (`8.1`);
 * undefined for comments and other lines.
 */
export function rowKind(
  cells: readonly string[],
  { id }: ConlluLayout,
): 'word' | 'range' | 'empty' | undefined {
  if (id < 0) return cells[0]!.startsWith('#') ? undefined : 'word';
  const [, between] = /^\d+(?:([-.])\d+)?$/.exec(cells[id] ?? '') ?? [undefined, null];
  if (between === null) return undefined;
  return between === undefined ? 'word' : between === '-' ? 'range' : 'empty';
}

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
export function surfaceTokens(raw: string, layout?: ConlluLayout): SurfaceToken[] {
  return surfaceWords(raw, layout).map(({ form, words, isSpaced }) => ({
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
  /** The cells of its row. */
  readonly cells: readonly string[];
}

/** Returns the tokens of a CoNLL-U sentence's text; empty nodes are skipped. */
export function surfaceWords(raw: string, layout = standardLayout): SurfaceWords[] {
  const found: (SurfaceWords & { readonly words: string[] })[] = [];
  const ofMisc = layout.names.indexOf('misc');
  for (const line of raw.split('\n')) {
    const cells = line.split('\t');
    const kind = rowKind(cells, layout);
    if (kind === undefined || kind === 'empty' || cells.length !== layout.width) continue;
    const number = layout.id < 0 ? String(found.length + 1) : cells[layout.id]!;
    const [first, last = first] = number.split('-').map(Number) as [number, number?];
    const form = cells[layout.form]!;
    const before = found.at(-1);
    if (before !== undefined && first <= before.last) before.words.push(form);
    else {
      const misc = cells[ofMisc] ?? '_';
      found.push({ form, last, words: [], isSpaced: isSpacedAfter(misc), misc, cells });
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
