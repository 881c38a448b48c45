import { LexiconWords } from './lexicon-words.js';

/** Word classes, each with its words in lower case: plain data, stored in the model file. */
export type StoredLexicon = readonly (readonly [wordClass: string, words: readonly string[]])[];

/** Class of tokens without a capital, and of unseen words. */
const nothing = '-';

/**
 * The labels of words in a training corpus as classes such as `PER!9`, for `%seen[0,0]`. See
 * `learnLexicon`.
 *
 * @example
 * const lexicon = new Lexicon([['LOC!2', ['oslo', 'bath']]], true);
 * lexicon.columnOf(['Bath', 'bath', 'Rome']) // => ['LOC!2', '-', '-']
 */
export class Lexicon {
  #stored: StoredLexicon | (() => StoredLexicon);
  /** Classes by word, built on the first lookup. */
  #classOf: ((word: string) => string | undefined) | undefined;
  readonly #capitals: boolean;
  readonly #json: Uint8Array | undefined;

  /**
   * @param stored word classes, or a function that reads them on demand
   * @param capitals whether only tokens with a capital letter are looked up, for labels that mark
   * spans
   * @param json the word classes as JSON, if they are read on demand
   */
  constructor(stored: StoredLexicon | (() => StoredLexicon), capitals: boolean, json?: Uint8Array) {
    this.#stored = stored;
    this.#capitals = capitals;
    this.#json = json;
  }

  get stored(): StoredLexicon {
    if (typeof this.#stored === 'function') this.#stored = this.#stored();
    return this.#stored;
  }

  /** Returns the class of each token, or `-`. */
  columnOf(tokens: readonly string[]): string[] {
    return tokens.map(token => this.classOf(token));
  }

  /** Returns the class of a token, or `-`. */
  classOf(token: string): string {
    const word = token.toLowerCase();
    if (this.#capitals && word === token) return nothing;
    this.#classOf ??= this.#makeClasses();
    return this.#classOf(word) ?? nothing;
  }

  #makeClasses(): (word: string) => string | undefined {
    const words = this.#json && LexiconWords.of(this.#json);
    if (words !== undefined) return word => words.classOf(word);
    const classes = classesOf(this.stored);
    return word => classes.get(word);
  }
}

function classesOf(stored: StoredLexicon): Map<string, string> {
  const classes = new Map<string, string>();
  for (const [name, words] of stored) for (const word of words) classes.set(word, name);
  return classes;
}

/**
 * Returns whether parsed data is a `StoredLexicon`, without a schema: for tens of thousands of
 * words a schema would take as long as everything else.
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

/** Words seen in training, once they are known. */
export interface KnownWords {
  lexicon: Lexicon | undefined;
}
