import { backtrackingSteps } from './backtracking-steps.js';
import { LinearPattern, type TakeRange } from './linear-pattern.js';
import { parsePattern } from './parse-pattern.js';

/** A pattern that takes time linear in the text, for every pattern and text. */
export interface TextPattern {
  readonly source: string;
  /** Returns whether the pattern matches somewhere in a text. */
  test(text: string): boolean;
  /** Returns the first match in a text. */
  match(text: string): string | undefined;
  /**
   * Passes the matches in a text to `take` until it returns false; they are those of `matchAll`.
   */
  visit(text: string, take: TakeRange): void;
}

/** Maximum number of steps that a native expression may take at each position of a text. */
const mostSteps = 256;

/**
 * Makes a pattern from the source of a regular expression with the flag `u`. Patterns that take few
 * steps at each position of any text use the JavaScript engine, all others a matcher without
 * backtracking.
 *
 * @throws SyntaxError if the source is not valid; TagstreamError `config` if the pattern cannot be
 * matched without backtracking
 * @example
 * textPattern('(a+)+b').test('a'.repeat(100_000)) // => false
 * const ends = [];
 * textPattern('[0-9]+|[a-z]').visit('12b', (_, end) => ends.push(end) < 9);
 * ends // => [2, 3]
 */
export function textPattern(source: string): TextPattern {
  const expression = new RegExp(source, 'gu');
  const isQuick = backtrackingSteps(parsePattern(source)) <= mostSteps;
  return isQuick ? new NativePattern(source, expression) : new LinearPattern(source);
}

/** Uses the JavaScript engine, for patterns that hardly backtrack. */
export class NativePattern implements TextPattern {
  readonly source: string;
  #expression: RegExp | undefined;

  /**
   * @param source valid source of a regular expression
   * @param expression regular expression of the source with the flags `g` and `u`; compiled on
   * first use if absent
   */
  constructor(source: string, expression?: RegExp) {
    this.source = source;
    this.#expression = expression;
  }

  test(text: string): boolean {
    return this.#fromStart().test(text);
  }

  match(text: string): string | undefined {
    return this.#fromStart().exec(text)?.[0];
  }

  visit(text: string, take: TakeRange): void {
    for (const match of text.matchAll(this.#fromStart())) {
      if (!take(match.index, match.index + match[0].length)) break;
    }
  }

  #fromStart(): RegExp {
    this.#expression ??= new RegExp(this.source, 'gu');
    this.#expression.lastIndex = 0;
    return this.#expression;
  }
}
