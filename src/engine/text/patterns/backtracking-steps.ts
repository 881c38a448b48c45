import type { PatternNode, PatternTree } from './pattern-program.js';

interface Ways {
  /** Number of ways to match a part. */
  readonly count: number;
  /** Length of the longest match, conditions included. */
  readonly length: number;
  /** Number of backreferences in the part: each matches no more than everything before it. */
  readonly references: number;
}

const nothing: Ways = { count: 1, length: 0, references: 0 };
const one: Ways = { count: 1, length: 1, references: 0 };

/**
 * Returns the maximum number of steps that a backtracking engine takes to try a pattern at one
 * position of a text; Infinity if it depends on the text.
 */
export function backtrackingSteps({ root, conditions }: PatternTree): number {
  const { count, length, references } = waysOf(root);
  return count * Math.max(1, length) * 2 ** references;

  function waysOf(node: PatternNode): Ways {
    switch (node.kind) {
      case 'empty':
        return nothing;
      case 'reference':
        return { count: 1, length: 0, references: 1 };
      case 'set':
        return one;
      case 'condition': {
        const condition = conditions[node.condition]!;
        return 'part' in condition ? together(one, waysOf(condition.part)) : one;
      }
      case 'choice':
        return node.parts.map(waysOf).reduce(either);
      case 'sequence':
        return node.parts.map(waysOf).reduce(together);
      case 'repeat':
        return node.most === 0 ? nothing : repeated(waysOf(node.part), node.least, node.most);
    }
  }
}

function together(a: Ways, b: Ways): Ways {
  return {
    count: a.count * b.count,
    length: a.length + b.length,
    references: a.references + b.references,
  };
}

function either(a: Ways, b: Ways): Ways {
  return {
    count: a.count + b.count,
    length: Math.max(a.length, b.length),
    references: Math.max(a.references, b.references),
  };
}

function repeated({ count, length, references }: Ways, least: number, most: number): Ways {
  if (most === Number.POSITIVE_INFINITY) return { count: most, length: most, references: 0 };
  const numbers = most - least + 1;
  return { count: count ** most * numbers, length: length * most, references: references * most };
}
