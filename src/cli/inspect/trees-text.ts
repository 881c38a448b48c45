import { grouped } from '../../core/wording/grouped.js';
import type { TreeStep, TreesSummary } from '../../models/inspection/model-summary.js';
import { visible } from '../../text/visible.js';
import { aligned } from './aligned.js';
import type { Paint } from './paint.js';
import { signed } from './signed.js';

/** Values of a leaf that are shown. */
const shownValues = 4;

/** Sizes of the trees of a model, and what they split on most, as lines. */
export function treesText(trees: TreesSummary, paint: Paint): string[] {
  const sizes = `  ${grouped(trees.trees)} trees with ${grouped(trees.leaves)} leaves and ${grouped(trees.values)} values, splitting on ${grouped(trees.features)} features`;
  const head = ['gain', 'splits', 'feature'].map(text => ({ text, paint: paint.faint }));
  const rows = trees.splits.map(({ gain, splits, ...feature }) => [
    gain.toFixed(1),
    grouped(splits),
    named(feature),
  ]);
  return [
    sizes,
    ...(rows.length === 0 ? [] : aligned([head, ...rows], { right: [0, 1], indent: '  ' })),
  ];
}

/** A tree as lines: of two that follow a split, `no` is for tokens without its feature, `yes` for those with it. */
export function treeText(steps: readonly TreeStep[], paint: Paint): string[] {
  return steps.map(({ depth, has, feature, values = [] }) => {
    const branch = has === undefined ? '' : paint.faint(has ? 'yes  ' : 'no   ');
    const shown = values
      .slice(0, shownValues)
      .map(({ label, value }) => `${visible(label)} ${signed(value)}`)
      .join('  ');
    const more = values.length > shownValues ? '  ...' : '';
    const text = feature === undefined ? `${shown}${more}` : `${visible(named(feature))} ?`;
    return `${'  '.repeat(depth + 1)}${branch}${text === '' ? '0' : text}`;
  });
}

function named({ name, row }: { readonly name?: string; readonly row: number }): string {
  return name ?? `feature ${row}, name not kept`;
}
