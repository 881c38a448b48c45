import type { Reals } from '../../core/reals.js';

/** Lanes of labels that have some components each, and lie next to each other. */
export interface ComponentLanes {
  /** Labels. */
  readonly labels: number;
  /** Components of each. */
  readonly components: number;
  /** Lanes from one row to the next. */
  readonly width: number;
}

/** `[rows x labels]`: rows summed over the components of each label. */
export function foldRows(
  from: Reals,
  rows: number,
  lanes: ComponentLanes,
): Float64Array<ArrayBuffer> {
  const { labels, components, width } = lanes;
  const folded = new Float64Array(rows * labels);
  for (let row = 0; row < rows; row += 1) {
    for (let lane = 0; lane < labels * components; lane += 1) {
      folded[row * labels + Math.floor(lane / components)]! += from[row * width + lane]!;
    }
  }
  return folded;
}

/** `[labels x labels]`: pairs of lanes summed over the components of both labels. */
export function foldSquare(from: Reals, lanes: ComponentLanes): Float64Array<ArrayBuffer> {
  const { labels, components } = lanes;
  const rows = foldRows(from, labels * components, lanes);
  const folded = new Float64Array(labels * labels);
  for (let i = 0; i < rows.length; i += 1) {
    const before = Math.floor(i / (labels * components));
    folded[before * labels + (i % labels)]! += rows[i]!;
  }
  return folded;
}

/** Gives each component what its label has in `[rows x labels]`. */
export function unfoldRows(folded: Reals, rows: number, to: Reals, lanes: ComponentLanes): void {
  const { labels, components, width } = lanes;
  for (let row = 0; row < rows; row += 1) {
    for (let lane = 0; lane < labels * components; lane += 1) {
      to[row * width + lane] = folded[row * labels + Math.floor(lane / components)]!;
    }
  }
}

/** Gives each pair of components what the pair of their labels has. */
export function unfoldSquare(folded: Reals, to: Reals, lanes: ComponentLanes): void {
  const { labels, components, width } = lanes;
  for (let i = 0; i < labels * components; i += 1) {
    const before = Math.floor(i / components) * labels;
    for (let j = 0; j < labels * components; j += 1) {
      to[i * width + j] = folded[before + Math.floor(j / components)]!;
    }
  }
}
