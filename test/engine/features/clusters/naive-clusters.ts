/** Clustering as the definition says, all sums anew at each step. */
export interface NaiveClusters {
  /** The classes there are before a merge, and what each merge of two loses, in nats. */
  next(): { members: readonly (readonly string[])[]; losses: readonly Loss[] };
  /** Does the merge of two classes of these sizes that loses so much. */
  merge(sizeOfOne: number, sizeOfOther: number, loss: number): void;
  /** The classes when all words were there. */
  clusters(): readonly (readonly string[])[];
  /** Their average mutual information. */
  information(): number;
}

interface Loss {
  readonly a: number;
  readonly b: number;
  readonly loss: number;
}

/** @param words those that are clustered, in the order in which they come in */
export function naiveClusters(
  sentences: readonly (readonly string[])[],
  words: readonly string[],
  classes: number,
): NaiveClusters {
  const stream = ['', ...sentences.flatMap(sentence => [...sentence, ''])];
  const pairs = stream.slice(1).map((word, i) => [stream[i]!, word] as const);
  const kept = new Set(words);
  const nameOf = (word: string, groups: readonly (readonly string[])[]) => {
    if (word === '') return 'end';
    if (!kept.has(word)) return 'rare';
    const group = groups.findIndex(members => members.includes(word));
    return group < 0 ? 'absent' : String(group);
  };
  const informationOf = (groups: readonly (readonly string[])[]) => {
    const both = new Map<string, number>();
    const left = new Map<string, number>();
    const right = new Map<string, number>();
    const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
    for (const [a, b] of pairs) {
      const [c, d] = [nameOf(a, groups), nameOf(b, groups)];
      add(both, `${c} ${d}`);
      add(left, c);
      add(right, d);
    }
    let sum = 0;
    for (const [key, n] of both) {
      const [c, d] = key.split(' ') as [string, string];
      if (c === 'absent' || d === 'absent') continue;
      const N = pairs.length;
      sum += (n / N) * Math.log((n * N) / (left.get(c)! * right.get(d)!));
    }
    return sum;
  };
  const merged = (groups: string[][], a: number, b: number) =>
    groups
      .map((group, i) => (i === a ? [...group, ...groups[b]!] : group))
      .filter((_, i) => i !== b);
  const sizeOf = (group: readonly string[]) =>
    stream.filter(word => word !== '' && group.includes(word)).length;

  let groups: string[][] = [];
  let entered = 0;
  let final: string[][] | undefined;
  const enter = () => {
    while (entered < words.length && groups.length <= classes) {
      groups.push([words[entered]!]);
      entered += 1;
    }
    if (entered === words.length && groups.length <= classes) final ??= groups.map(g => [...g]);
  };
  const allLosses = (): Loss[] => {
    const before = informationOf(groups);
    return groups.flatMap((_, a) =>
      groups.slice(a + 1).map((__, i) => {
        const b = a + 1 + i;
        return { a, b, loss: before - informationOf(merged(groups, a, b)) };
      }),
    );
  };
  let losses: Loss[] = [];
  return {
    next() {
      enter();
      losses = allLosses();
      return { members: groups, losses };
    },
    merge(sizeOfOne, sizeOfOther, loss) {
      const sizes = [sizeOfOne, sizeOfOther].sort((x, y) => x - y).join();
      const fitting = losses.find(({ a, b, loss: own }) => {
        const found = [sizeOf(groups[a]!), sizeOf(groups[b]!)].sort((x, y) => x - y).join();
        return Math.abs(own - loss) < 1e-10 && found === sizes;
      });
      if (fitting === undefined) throw new Error('no such merge');
      groups = merged(groups, fitting.a, fitting.b);
      enter();
    },
    clusters: () => final!,
    information: () => informationOf(final!),
  };
}
