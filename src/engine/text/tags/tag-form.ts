/** Notation of span tags, if it is not `B-PER` and `O`. */
export interface TagForm {
  /** First tag of a span of the type X: `B_X`, `B:X`, `X-B`; default: `B-X`. */
  readonly spanTags?: string | undefined;
  /** Tag outside all spans; default: `O`. */
  readonly outside?: string | undefined;
}

/** Separators between a letter and a type, the most common first. */
const separators = ['-', '_', ':', '/', '.', '|', '#', '+', '=', '~', '@'] as const;

/** All forms except Tagstream's own, the most common first. */
export const forms: readonly string[] = [
  ...separators.slice(1).map(separator => `B${separator}X`),
  ...separators.map(separator => `X${separator}B`),
];

/** Tags that some data sets use for `O`. */
export const outsides: ReadonlySet<string> = new Set([
  ...[
    '_',
    '-',
    'o',
    '0',
    '*',
    'OTHER',
    'Other',
    'other',
    'OUT',
    'NONE',
    'None',
    'none',
    'NULL',
    '',
  ],
]);

/** Letters of span tags in a form: those of all schemes. */
const letters = 'BIESLUMW';

/** Converts a tag in a form to Tagstream's notation; undefined if it is not in the form. */
export function standardOf(tag: string, form: string): string | undefined {
  const separator = form[1]!;
  const isPrefix = form.startsWith('B');
  const [letter, at] = isPrefix ? [tag[0], tag[1]] : [tag.at(-1), tag.at(-2)];
  if (tag.length < 3 || at !== separator || !letters.includes(letter!)) return undefined;
  return `${letter}-${isPrefix ? tag.slice(2) : tag.slice(0, -2)}`;
}

const mostKnown = 10_000;

/**
 * Returns a function that converts tags in a form to `B-PER` and `O`; undefined if nothing needs to
 * change. A tag that is not in the form is left unchanged.
 *
 * @example
 * ['PER_B', '-', 'PER'].map(tagReader({ spanTags: 'X_B', outside: '-' })) // => ['B-PER', 'O', 'PER']
 */
export function tagReader({ spanTags, outside }: TagForm): ((tag: string) => string) | undefined {
  if (spanTags === undefined && outside === undefined) return undefined;
  const known = new Map<string, string>();
  return tag => {
    const found = known.get(tag);
    if (found !== undefined) return found;
    const own = spanTags === undefined ? undefined : standardOf(tag, spanTags);
    const standard = own ?? (tag === outside ? 'O' : tag);
    if (known.size === mostKnown) known.clear();
    known.set(tag, standard);
    return standard;
  };
}

/** Returns whether a text is the name of a form. */
export function isTagForm(text: string): boolean {
  return text === 'B-X' || forms.includes(text);
}

/** Formats the source options that state the form. */
export function formOptions({ spanTags, outside }: TagForm): string {
  const options = [
    ...(spanTags === undefined ? [] : [`spanTags: ${spanTags}`]),
    ...(outside === undefined ? [] : [`outside: ${JSON.stringify(outside)}`]),
  ];
  return options.join(', ');
}
