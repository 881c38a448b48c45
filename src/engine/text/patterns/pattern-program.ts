import { TagstreamError } from '../../core/errors.js';

/** Kinds of states in a program; those after `set` consume no character. */
export const stateKind = { match: 0, fail: 1, set: 2, fork: 3, condition: 4 } as const;

/** A pattern as a graph of states. */
export interface PatternProgram {
  readonly start: number;
  readonly kinds: Uint8Array;
  /** Number of each state's set or condition. */
  readonly subjects: Int32Array;
  /** Next state of each state; for a fork, the preferred one. */
  readonly nexts: Int32Array;
  readonly others: Int32Array;
  /** All states, each after those that it reaches without consuming a character. */
  readonly order: Int32Array;
}

/** Maximum number of states of a program, as each character may cost as many steps. */
const mostStates = 2000;

/** Maximum number of parts, including those that create no state. */
const mostParts = 100_000;

const matchState = 0;
const failState = 1;

/**
 * Makes the program of a pattern. An optional iteration of a loop must consume a character, as the
 * language specifies, so no state returns to itself without one.
 *
 * @param backward whether the program reads a text from its end
 * @throws TagstreamError `config` if the pattern has a backreference or is too large
 */
export function patternProgram(root: PatternNode, backward = false): PatternProgram {
  const builder = new Builder(backward);
  const start = builder.add(root, matchState, matchState);
  return builder.finished(start);
}

class Builder {
  readonly #backward: boolean;
  readonly #kinds: number[] = [stateKind.match, stateKind.fail];
  readonly #subjects = [0, 0];
  readonly #nexts = [0, 0];
  readonly #others = [0, 0];
  #parts = 0;

  constructor(backward: boolean) {
    this.#backward = backward;
  }

  /**
   * Adds a part.
   *
   * @param unmoved state after the part if it has consumed no character
   * @param moved state after the part otherwise
   * @returns first state of the part
   */
  add(node: PatternNode, unmoved: number, moved: number): number {
    this.#parts += 1;
    if (this.#parts > mostParts) throw tooLarge(`more than ${mostParts} parts`);
    switch (node.kind) {
      case 'empty':
        return unmoved;
      case 'reference':
        throw new TagstreamError('config', 'a backreference may take exponential time', {
          fix: 'write out what it may repeat as alternatives',
        });
      case 'set':
        return this.#state(stateKind.set, node.set, moved, 0);
      case 'condition':
        return this.#state(stateKind.condition, node.condition, unmoved, 0);
      case 'choice':
        return node.parts
          .map(part => this.add(part, unmoved, moved))
          .reduceRight((others, first) => this.#state(stateKind.fork, 0, first, others));
      case 'sequence':
        return this.#sequence(node.parts, unmoved, moved);
      case 'repeat':
        return this.#repeat(node, unmoved, moved);
    }
  }

  finished(start: number): PatternProgram {
    return {
      start,
      kinds: Uint8Array.from(this.#kinds),
      subjects: Int32Array.from(this.#subjects),
      nexts: Int32Array.from(this.#nexts),
      others: Int32Array.from(this.#others),
      order: this.#order(),
    };
  }

  #sequence(parts: readonly PatternNode[], unmoved: number, moved: number): number {
    const read = this.#backward ? [...parts].reverse() : parts;
    // The state after a part that consumes a character is always reached with one consumed.
    const firstMove = read.findIndex(part => !isNullable(part));
    let whenMoved = moved;
    let whenUnmoved = firstMove < 0 ? unmoved : moved;
    for (let i = read.length - 1; i >= 0; i -= 1) {
      const after = { unmoved: whenUnmoved, moved: whenMoved };
      const same = after.unmoved === after.moved;
      if (i > 0 || same) whenMoved = this.add(read[i]!, after.moved, after.moved);
      whenUnmoved = same ? whenMoved : this.add(read[i]!, after.unmoved, after.moved);
    }
    return whenUnmoved;
  }

  #repeat(
    { part, least, most, greedy }: Extract<PatternNode, { kind: 'repeat' }>,
    unmoved: number,
    moved: number,
  ): number {
    const bounded = most === Number.POSITIVE_INFINITY ? least : most;
    if (bounded > mostStates) throw tooLarge(`${bounded} repetitions`);
    const nullable = isNullable(part);
    // A part that begins with a required character does not end without consuming one.
    const exit = least > 0 && !nullable ? moved : unmoved;
    const iteration = (after: number) => this.add(part, nullable ? failState : after, after);
    let whenMoved = moved;
    let whenUnmoved = exit;
    if (most === Number.POSITIVE_INFINITY) {
      whenMoved = this.#state(stateKind.fork, 0, 0, 0);
      const body = iteration(whenMoved);
      this.#choose(whenMoved, body, moved, greedy);
      whenUnmoved = exit === moved ? whenMoved : this.#fork(body, exit, greedy);
    } else {
      for (let i = least; i < most; i += 1) {
        const body = iteration(whenMoved);
        whenMoved = this.#fork(body, moved, greedy);
        whenUnmoved = exit === moved ? whenMoved : this.#fork(body, exit, greedy);
      }
    }
    for (let i = 0; i < least; i += 1) {
      const before = whenMoved;
      const same = whenUnmoved === whenMoved;
      whenMoved = this.add(part, before, before);
      whenUnmoved = same ? whenMoved : this.add(part, whenUnmoved, before);
    }
    return whenUnmoved;
  }

  #fork(body: number, exit: number, greedy: boolean): number {
    const fork = this.#state(stateKind.fork, 0, 0, 0);
    this.#choose(fork, body, exit, greedy);
    return fork;
  }

  #choose(fork: number, body: number, exit: number, greedy: boolean): void {
    this.#nexts[fork] = greedy ? body : exit;
    this.#others[fork] = greedy ? exit : body;
  }

  #state(kind: number, subject: number, next: number, other: number): number {
    if (this.#kinds.length >= mostStates) throw tooLarge(`more than ${mostStates} states`);
    this.#kinds.push(kind);
    this.#subjects.push(subject);
    this.#nexts.push(next);
    this.#others.push(other);
    return this.#kinds.length - 1;
  }

  #order(): Int32Array {
    const order: number[] = [];
    const entered = new Uint8Array(this.#kinds.length);
    for (let root = 0; root < entered.length; root += 1) {
      const stack = [root];
      while (stack.length > 0) {
        const state = stack.at(-1)!;
        if (entered[state] === 0) {
          entered[state] = 1;
          const kind = this.#kinds[state]!;
          const { fork, condition } = stateKind;
          if (kind === fork || kind === condition) push(this.#nexts[state]!);
          if (kind === fork) push(this.#others[state]!);
        } else {
          stack.pop();
          if (entered[state] === 1) order.push(state);
          entered[state] = 2;
        }
      }
      function push(state: number): void {
        if (entered[state] === 0) stack.push(state);
      }
    }
    return Int32Array.from(order);
  }
}

/** Returns whether a part can match the empty string, assuming that conditions are true. */
function isNullable(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'choice':
      return node.parts.some(isNullable);
    case 'sequence':
      return node.parts.every(isNullable);
    case 'repeat':
      return node.least === 0 || isNullable(node.part);
    default:
      return true;
  }
}

function tooLarge(what: string): TagstreamError {
  return new TagstreamError('config', `the pattern is too large: ${what}`, {
    fix: 'use smaller numbers in { }, or * and + instead',
  });
}

/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: 'empty' }
  /** A backreference. */
  | { readonly kind: 'reference' }
  /** A character in a set, by the number of the set. */
  | { readonly kind: 'set'; readonly set: number }
  /** A condition between two characters, by its number. */
  | { readonly kind: 'condition'; readonly condition: number }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  /** Alternatives, of which earlier ones win. */
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** Maximum number of repetitions; Infinity if unbounded. */
      readonly most: number;
      readonly greedy: boolean;
    };

/** A condition on a position in the text. */
export type Condition =
  | { readonly kind: 'start' | 'end' | 'boundary' | 'no boundary' }
  | {
      readonly kind: 'ahead' | 'behind';
      readonly negative: boolean;
      readonly part: PatternNode;
    };

/** A parsed pattern. */
export interface PatternTree {
  readonly root: PatternNode;
  /** Sets, each as the source of an expression for one character. */
  readonly sets: readonly string[];
  /** Conditions, with nested ones before the enclosing ones. */
  readonly conditions: readonly Condition[];
}
