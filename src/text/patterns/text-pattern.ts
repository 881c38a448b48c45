import { backtrackingSteps } from './backtracking-steps.js';
import { LinearPattern, type TakeRange } from './linear-pattern.js';
import { parsePattern } from './parse-pattern.js';

/** A pattern that takes time proportional to the text, whatever both are. */
export interface TextPattern {
  readonly source: string;
  /** Whether it matches somewhere in a text. */
  test(text: string): boolean;
  /** The first match in a text. */
  match(text: string): string | undefined;
  /** Hands the matches in a text over, as `matchAll` finds them, until one is refused. */
  visit(text: string, take: TakeRange): void;
}

/** Steps at each place of a text that a native expression may take at most. */
const mostSteps = 256;

/**
 * Makes a pattern of the source of a regular expression with the flag `u`. What takes few steps at each place
 * of any text is left to the engine of the language, all else goes without backtracking.
 *
 * @throws SyntaxError if the source is not valid; TagstreamError `config` where it cannot be matched without
 *   backtracking
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

/** By the engine of the language: for patterns that give it no reason to go back far. */
export class NativePattern implements TextPattern {
  readonly source: string;
  #expression: RegExp | undefined;

  /**
   * @param source valid
   * @param expression of the source with the flags `g` and `u`; without it, it is compiled when it is first used
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
