import type { Plane } from '../memory/plane.js';
import type { AveragedRows } from '../rows/averaged-rows.js';
import type { ParameterStore } from '../store/parameter-store.js';

/** See `Kernel.averageRows`. */
export function averageRows(store: ParameterStore, averages: Plane, given: AveragedRows): void {
  const { table, count, rows, factors, lanes } = given;
  const { width } = store;
  const weights = store.weights[table].view;
  const numbers = averages[table].view;
  for (let i = 0; i < count; i += 1) {
    const first = rows[i]! * width;
    const kept = factors[4 * i]!;
    const gain = factors[4 * i + 1]!;
    const loss = factors[4 * i + 2]!;
    const scale = factors[4 * i + 3]!;
    for (let y = 0; y < width; y += 1) {
      const own = kept * Math.max(gain, lanes[y]!) - Math.max(loss, lanes[width + y]!);
      const mean = scale * weights[first + y]!;
      numbers[first + y] = mean + Math.max(0, own) * (numbers[first + y]! - mean);
    }
  }
}
