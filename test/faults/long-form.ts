/** Whether the long form of the fault tests is asked for: `TAGSTREAM_FAULTS=long`. */
export const longForm = process.env.TAGSTREAM_FAULTS === 'long';

/** How often an attack is tried: in the short form, or in the long one, where `TAGSTREAM_FAULTS_COUNT` overrides it. */
export function attackCount(short: number, long: number): number {
  return longForm ? Number(process.env.TAGSTREAM_FAULTS_COUNT ?? long) : short;
}

/** Reports what a fault test has counted, in one line. */
export function reportCounts(what: string, counts: ReadonlyMap<string, number> | object): void {
  const entries = counts instanceof Map ? [...counts] : Object.entries(counts);
  const list = entries.map(([name, count]) => `${name} ${count}`).join(', ');
  console.log(`faults: ${what}: ${list}`);
}

/** One more of `key`. */
export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
