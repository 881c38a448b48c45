import { TagstreamError } from '../../core/errors.js';
import type { Condition, PatternNode, PatternTree } from './pattern-program.js';

/**
 * Parses the source of a regular expression with the flag `u`.
 *
 * @param source source that is valid for `new RegExp(source, 'u')`
 * @throws TagstreamError `config` for flags inside a group, which not every version of Node supports, and for
 * groups nested too deep
 * @example
 * parsePattern('a|[bc]').root // => ({ kind: 'choice', parts: [{ kind: 'set', set: 0 }, { kind: 'set', set: 1 }] })
 * parsePattern('a|[bc]').sets // => ['a', '[bc]']
 */
export function parsePattern(source: string): PatternTree {
  const parser = new Parser(source);
  return { root: parser.choice(), sets: parser.sets, conditions: parser.conditions };
}

/** Maximum nesting depth of groups, which bounds the recursion. */
const deepest = 500;

const empty: PatternNode = { kind: 'empty' };

/** A character outside a class, in any notation. */
const character =
  /\\[pP]\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|\[(?:\\.|[^\]\\])*\]|./suy;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/y;
const groupStart = /\((?:\?(?:(:)|(<?)([=!])|<(?![=!])[^>]*>))?/y;
const reference = /\\(?:[1-9]\d*|k<[^>]*>)/y;

class Parser {
  readonly sets: string[] = [];
  readonly conditions: Condition[] = [];
  readonly #source: string;
  readonly #numbers = new Map<string, number>();
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (;;) {
      const next = this.#source[this.#at];
      if (next === undefined || next === '|' || next === ')') break;
      parts.push(this.#quantified(this.#term()));
    }
    if (parts.length === 0) return empty;
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #term(): PatternNode {
    const start = this.#source[this.#at];
    if (start === '(') return this.#group();
    if (start === '^') return this.#simpleCondition('start', 1);
    if (start === '$') return this.#simpleCondition('end', 1);
    if (start === '\\') {
      const next = this.#source[this.#at + 1];
      if (next === 'b') return this.#simpleCondition('boundary', 2);
      if (next === 'B') return this.#simpleCondition('no boundary', 2);
      if (this.#take(reference) !== undefined) return { kind: 'reference' };
    }
    return this.#set(this.#take(character)![0]);
  }

  #group(): PatternNode {
    const head = this.#take(groupStart)!;
    const [whole, , behind, look] = head;
    if (whole === '(' && this.#source[this.#at] === '?') {
      throw new TagstreamError('config', 'the pattern has flags inside a group', {
        fix: 'write both cases as a class: [aA]',
      });
    }
    this.#depth += 1;
    if (this.#depth > deepest) {
      throw new TagstreamError(
        'config',
        `the pattern has groups nested more than ${deepest} deep`,
        {
          fix: 'remove redundant groups',
        },
      );
    }
    const part = this.choice();
    this.#depth -= 1;
    this.#at += 1;
    if (look === undefined) return part;
    const kind = behind === '<' ? 'behind' : 'ahead';
    return this.#condition({ kind, negative: look === '!', part });
  }

  #quantified(part: PatternNode): PatternNode {
    const found = this.#take(quantifier);
    if (found === undefined) return part;
    const [, sign, from, comma, to, lazy] = found;
    const least = sign === undefined ? Number(from) : sign === '+' ? 1 : 0;
    let most = Number.POSITIVE_INFINITY;
    if (sign === '?') most = 1;
    else if (sign === undefined && comma === undefined) most = least;
    else if (to !== undefined && to !== '') most = Number(to);
    return { kind: 'repeat', part, least, most, greedy: lazy === '' };
  }

  #set(source: string): PatternNode {
    let set = this.#numbers.get(source);
    if (set === undefined) {
      set = this.sets.length;
      this.#numbers.set(source, set);
      this.sets.push(source);
    }
    return { kind: 'set', set };
  }

  #simpleCondition(kind: 'start' | 'end' | 'boundary' | 'no boundary', length: number) {
    this.#at += length;
    const known = this.conditions.findIndex(condition => condition.kind === kind);
    return known < 0
      ? this.#condition({ kind })
      : ({ kind: 'condition', condition: known } as const);
  }

  #condition(condition: Condition): PatternNode {
    this.conditions.push(condition);
    return { kind: 'condition', condition: this.conditions.length - 1 };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at = expression.lastIndex;
    return found;
  }
}
