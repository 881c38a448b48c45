/** A percentage with two digits: `93.70`. */
export function points(percentage: number): string {
  return percentage.toFixed(2);
}

/** A difference in points with its sign: `+0.52`. None is `+0.00`, so that it does not read as a score. */
export function signed(difference: number): string {
  const text = Math.abs(difference).toFixed(2);
  return `${difference < 0 && Number(text) > 0 ? '-' : '+'}${text}`;
}

/** A p-value: `p = 0.031`, or `p < 0.001`. */
export function pValueText(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`;
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast(part => part !== '') ?? path;
}
