/** Where values stand on an axis, and where its marks are. */
export interface AxisScale {
  /** 0 at the start of the axis, 1 at its end. */
  at(value: number): number;
  readonly marks: readonly number[];
}

/**
 * An axis that holds some values, with four to ten marks at round numbers.
 *
 * @example
 * axisScale([0, 9], false).marks // => [0, 2, 4, 6, 8, 10]
 */
export function axisScale(values: readonly number[], log: boolean): AxisScale {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return log ? logScale(least, most) : linearScale(least, most);
}

function linearScale(least: number, most: number): AxisScale {
  const range = most - least || Math.abs(most) * 0.01 || 1;
  const rough = range / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find(factor => rough <= factor * power) ?? 10);
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  const marks = Array.from({ length: last - first + 1 }, (_, i) => tidy((first + i) * step));
  return { marks, at: value => (value / step - first) / (last - first) };
}

function logScale(least: number, most: number): AxisScale {
  const low = Math.log10(least);
  const high = Math.log10(most);
  const margin = 0.04 * (high - low) || 0.1;
  const [start, end] = [low - margin, high + margin];
  const factors = high - low > 3 ? [1] : high - low > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const marks: number[] = [];
  for (let power = Math.floor(start); power <= Math.ceil(end); power += 1) {
    for (const factor of factors) {
      const mark = tidy(factor * 10 ** power);
      if (Math.log10(mark) >= start && Math.log10(mark) <= end) marks.push(mark);
    }
  }
  const at = (value: number) => (Math.log10(value) - start) / (end - start);
  if (marks.length > 1) return { marks, at };
  // So narrow that round numbers of a linear axis are nearer.
  const inside = (mark: number) => mark > 0 && at(mark) >= 0 && at(mark) <= 1;
  return { marks: linearScale(10 ** start, 10 ** end).marks.filter(inside), at };
}

/** Without what multiplying has added behind the last digit. */
function tidy(value: number): number {
  return Number(value.toPrecision(10));
}
