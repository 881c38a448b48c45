/** Makes numbers of states `[from, to)` those of the first states of their labels, which stand for the labels. */
export function toFirstStates(labels: Int32Array, from: number, to: number, states: number): void {
  for (let t = from; t < to; t += 1) labels[t]! -= labels[t]! % states;
}
