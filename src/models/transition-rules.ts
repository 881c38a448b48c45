import type { TransitionMask } from '../inference/mask-scores.js';
import { sameType } from '../text/chunk-boundaries.js';
import { schemeAllows } from '../text/scheme-transitions.js';
import type { TagScheme } from '../text/tag-scheme.js';
import { outside, type SeenTransitions } from './seen-transitions.js';

/** Which transitions a model's tags may have; JSON, kept in the model file. */
export interface TransitionRules {
  /** The scheme whose rules hold. */
  readonly scheme: TagScheme;
  /** Pairs of labels that break them and are allowed all the same, as they came in training; -1: no label. */
  readonly also: readonly (readonly [from: number, to: number])[];
}

const noRules: TransitionRules = { scheme: 'none', also: [] };

/**
 * The rules that labelled sentences have followed. What came in training is never forbidden: single
 * mistakes are noted as exceptions; and where spans began as the scheme forbids, and never as it wants (IOB1
 * or IOE in place of BIO or BIOES: names of labels do not tell), no rule holds. Nor does one where no
 * labelled sentence was seen.
 */
export function learnedRules(
  names: readonly string[],
  scheme: TagScheme,
  seen: SeenTransitions,
): TransitionRules {
  if (seen.size === 0 || scheme === 'none' || scheme === 'IO') return noRules;
  const also: (readonly [number, number])[] = [];
  let starts = false;
  for (const [from, to] of seen.pairs()) {
    const tag = names[to];
    const before = names[from];
    if (!schemeAllows(scheme, before, tag)) also.push([from, to]);
    else if (tag?.[0] === 'B' || tag?.[0] === 'S') {
      starts ||= before === undefined || before === 'O' || !sameType(before, tag);
    }
  }
  if (also.length > 0 && !starts) return noRules;
  also.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { scheme, also };
}

/** What the rules forbid of some labels; undefined where that is nothing. Cost O(L^2). */
export function maskOf(
  { scheme, also }: TransitionRules,
  names: readonly string[],
): TransitionMask | undefined {
  const exceptions = new Set(also.map(([from, to]) => `${from} ${to}`));
  const isForbidden = (from: number, to: number) =>
    !schemeAllows(scheme, names[from], names[to]) && !exceptions.has(`${from} ${to}`);
  const numbers = Array.from(names.keys());
  const pairs = numbers.flatMap(from =>
    numbers.flatMap(to => (isForbidden(from, to) ? [from, to] : [])),
  );
  const first = numbers.filter(to => isForbidden(outside, to));
  const last = numbers.filter(from => isForbidden(from, outside));
  if (pairs.length + first.length + last.length === 0) return undefined;
  const connected = numbers.every(
    y =>
      numbers.some(from => !isForbidden(outside, from) && !isForbidden(from, y)) &&
      numbers.some(to => !isForbidden(to, outside) && !isForbidden(y, to)),
  );
  return {
    connected,
    pairs: Uint32Array.from(pairs),
    first: Uint32Array.from(first),
    last: Uint32Array.from(last),
  };
}
