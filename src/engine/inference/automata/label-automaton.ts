/** A deterministic automaton over labels: it accepts the allowed label sequences. State 0 is the start state. */
export interface LabelAutomaton {
  readonly states: number;
  readonly labels: number;
  /** `[states x labels]` next state; -1 if the label is not allowed. */
  readonly next: Int32Array;
  /** 1 for each state in which a sequence may end. */
  readonly accepts: Uint8Array;
}

/**
 * Returns the intersection of automata, reduced to states that are reachable and can reach an accepting state.
 *
 * @param most maximum number of states
 * @returns undefined if the intersection would have more; an automaton without states if no
 *   sequence is accepted
 */
export function intersection(
  automata: readonly LabelAutomaton[],
  labels: number,
  most: number,
): LabelAutomaton | undefined {
  const numbers = new Map<string, number>();
  const tuples: number[][] = [];
  const numberOf = (tuple: number[]): number => {
    const key = tuple.join();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, tuples.length);
    tuples.push(tuple);
    return tuples.length - 1;
  };
  numberOf(automata.map(() => 0));
  const next: number[] = [];
  for (let q = 0; q < tuples.length; q += 1) {
    if (tuples.length > most) return undefined;
    for (let y = 0; y < labels; y += 1) {
      const tuple = automata.map((each, i) => each.next[tuples[q]![i]! * labels + y]!);
      next.push(tuple.includes(-1) ? -1 : numberOf(tuple));
    }
  }
  const accepts = tuples.map(tuple => automata.every((each, i) => each.accepts[tuple[i]!] === 1));
  return trimmed({
    ...{ states: tuples.length, labels, next: Int32Array.from(next) },
    accepts: Uint8Array.from(accepts, Number),
  });
}

/** Forbids transitions to states that cannot reach an accepting state. */
function trimmed(automaton: LabelAutomaton): LabelAutomaton {
  const { states, labels, accepts } = automaton;
  const next = automaton.next.slice();
  const ends = accepts.slice();
  for (let changed = true; changed; ) {
    changed = false;
    for (let q = 0; q < states; q += 1) {
      if (ends[q] === 1) continue;
      for (let y = 0; y < labels && ends[q] === 0; y += 1) {
        const to = next[q * labels + y]!;
        if (to >= 0 && ends[to] === 1) ends[q] = 1;
      }
      if (ends[q] === 1) changed = true;
    }
  }
  for (let i = 0; i < next.length; i += 1) if (next[i]! >= 0 && ends[next[i]!] === 0) next[i] = -1;
  return { ...automaton, next };
}

/** Returns whether the automaton accepts a label sequence. */
export function isAccepted(
  { next, labels, accepts }: LabelAutomaton,
  sequence: ArrayLike<number>,
  from = 0,
  end = sequence.length,
): boolean {
  let q = 0;
  for (let t = from; t < end && q >= 0; t += 1) q = next[q * labels + sequence[t]!]!;
  return q >= 0 && accepts[q] === 1;
}
