/** Classes of words, each with its words in lower case: plain data, stored in the model file. */
export type StoredLexicon = readonly (readonly [wordClass: string, words: readonly string[]])[];

/** Marks tokens without a capital and unseen words. */
const nothing = '-';

/**
 * What labels the words of a training corpus had, by classes such as `PER!9`: for `%seen[0,0]`. See `learnLexicon`.
 *
 * @example
 * const lexicon = new Lexicon([['LOC!2', ['oslo', 'bath']]], true);
 * lexicon.columnOf(['Bath', 'bath', 'Rome']) // => ['LOC!2', '-', '-']
 */
export class Lexicon {
  #stored: StoredLexicon | (() => StoredLexicon);
  /** Made when the first word is looked up. */
  #classes: Map<string, string> | undefined;
  readonly #capitals: boolean;

  /**
   * @param stored its classes, or what reads them when they are needed
   * @param capitals only tokens with a capital letter are looked up, as where labels mark spans
   */
  constructor(stored: StoredLexicon | (() => StoredLexicon), capitals: boolean) {
    this.#stored = stored;
    this.#capitals = capitals;
  }

  get stored(): StoredLexicon {
    if (typeof this.#stored === 'function') this.#stored = this.#stored();
    return this.#stored;
  }

  /** The class of each token, or `-`. */
  columnOf(tokens: readonly string[]): string[] {
    return tokens.map(token => this.classOf(token));
  }

  /** The class of a token, or `-`. */
  classOf(token: string): string {
    const word = token.toLowerCase();
    if (this.#capitals && word === token) return nothing;
    this.#classes ??= classesOf(this.stored);
    return this.#classes.get(word) ?? nothing;
  }
}

function classesOf(stored: StoredLexicon): Map<string, string> {
  const classes = new Map<string, string>();
  for (const [name, words] of stored) for (const word of words) classes.set(word, name);
  return classes;
}

/**
 * Whether something that was read is a `StoredLexicon`. Of tens of thousands of words: a schema takes as long for it as all
 * else takes.
 *
 * @example
 * [[['LOC!2', ['oslo']]], [['LOC!2', [5]]]].map(isStoredLexicon) // => [true, false]
 */
export function isStoredLexicon(value: unknown): value is StoredLexicon {
  const isString = (word: unknown) => typeof word === 'string';
  return (
    Array.isArray(value) &&
    value.every(
      pair =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        isString(pair[0]) &&
        Array.isArray(pair[1]) &&
        pair[1].every(isString),
    )
  );
}

/** What is known of words, once it is. */
export interface KnownWords {
  lexicon: Lexicon | undefined;
}
