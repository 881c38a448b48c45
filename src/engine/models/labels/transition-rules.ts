import type { TransitionMask } from '../../inference/mask-scores.js';
import { placeOf, sameType } from '../../text/tags/chunk-boundaries.js';
import { hasRules, schemeAllows, type TagScheme } from '../../text/tags/tag-scheme.js';
import { outside, type SeenTransitions } from './seen-transitions.js';

/** The allowed transitions between a model's tags; JSON, stored in the model file. */
export interface TransitionRules {
  /** Scheme whose rules apply. */
  readonly scheme: TagScheme;
  /**
   * Label pairs that violate the rules but are allowed because they occurred in training; -1: no label.
   */
  readonly also: readonly (readonly [from: number, to: number])[];
}

const noRules: TransitionRules = { scheme: 'none', also: [] };

/**
 * Returns the rules that the labelled sentences have followed. Transitions seen in training are never
 * forbidden: single violations become exceptions; and no rules apply if spans only begin in ways that the
 * scheme forbids (IOB1 or IOE instead of BIO or BIOES, which label names do not reveal), or if there are no
 * labelled sentences.
 */
export function learnedRules(
  names: readonly string[],
  scheme: TagScheme,
  seen: SeenTransitions,
): TransitionRules {
  if (seen.size === 0 || !hasRules(scheme)) return noRules;
  const also: (readonly [number, number])[] = [];
  let starts = false;
  for (const [from, to] of seen.pairs()) {
    const tag = names[to];
    const before = names[from];
    if (!schemeAllows(scheme, before, tag)) also.push([from, to]);
    else if (tag !== undefined && beginsSpan(tag)) {
      starts ||= before === undefined || before === 'O' || !sameType(before, tag);
    }
  }
  if (also.length > 0 && !starts) return noRules;
  also.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { scheme, also };
}

function beginsSpan(tag: string): boolean {
  const place = placeOf(tag);
  return place === 'first' || place === 'single';
}

/** Returns whether a label may not follow another one. */
type Forbids = (from: number, to: number) => boolean;

/**
 * Returns the transitions that the rules forbid; undefined if there are none. Cost O(L^2), with memory only for
 * the forbidden pairs.
 *
 * @param names label names by number
 * @param states count of consecutive numbers per label; the rules use the first
 */
export function maskOf(
  { scheme, also }: TransitionRules,
  names: readonly string[],
  states = 1,
): TransitionMask | undefined {
  if (!hasRules(scheme)) return undefined;
  const exceptions = new Set(also.map(([from, to]) => keyOf(from, to)));
  const isForbidden: Forbids = (from, to) =>
    !schemeAllows(scheme, names[from], names[to]) &&
    !exceptions.has(keyOf(firstState(from, states), firstState(to, states)));
  const numbers = Array.from(names.keys());
  const pairs = pairsOf(names.length, isForbidden);
  const first = numbers.filter(to => isForbidden(outside, to));
  const last = numbers.filter(from => isForbidden(from, outside));
  if (pairs.length + first.length + last.length === 0) return undefined;
  const connected = numbers.every(
    y =>
      numbers.some(from => !isForbidden(outside, from) && !isForbidden(from, y)) &&
      numbers.some(to => !isForbidden(to, outside) && !isForbidden(y, to)),
  );
  return { connected, pairs, first: Uint32Array.from(first), last: Uint32Array.from(last) };
}

/** Returns the number that represents all states of a label; -1 stays -1. */
function firstState(label: number, states: number): number {
  return label < 0 ? label : label - (label % states);
}

/** Returns all forbidden label pairs, flattened. */
function pairsOf(labels: number, isForbidden: Forbids): Uint32Array {
  let pairs = new Uint32Array(64);
  let length = 0;
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) {
      if (!isForbidden(from, to)) continue;
      if (length === pairs.length) {
        const grown = new Uint32Array(2 * length);
        grown.set(pairs);
        pairs = grown;
      }
      pairs[length] = from;
      pairs[length + 1] = to;
      length += 2;
    }
  }
  return pairs.slice(0, length);
}

/** Returns a number for a label pair; there are fewer than 2^32 pairs. */
function keyOf(from: number, to: number): number {
  return (from + 1) * 2 ** 32 + to + 1;
}
