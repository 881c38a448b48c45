import type { LayerPairs } from '../../core/layer-pairs.js';
import { LabelSet } from './label-set.js';
import { LayerColumns } from './layer-columns.js';

/** The part of a specification that says what the columns of the parameters are. */
interface LabelSpec {
  readonly hidden?: { readonly states: number };
  readonly layers?: { readonly separator: string };
}

/** Labels as files have them. */
export interface StoredLabels {
  /** Names of the columns of the parameters: of labels, of their states where these are hidden, of layers. */
  readonly labels: readonly string[];
  /** Where labels are of two layers: their columns. */
  readonly pairs?: LayerPairs;
}

/** No labels yet, of a model with this specification. */
export function noLabels({ hidden, layers }: LabelSpec): LabelSet {
  if (layers === undefined) return new LabelSet([], hidden?.states);
  return new LabelSet([], 1, new LayerColumns(layers.separator));
}

/** Labels as they are to be stored. */
export function storedLabels({ columnNames, layers }: LabelSet): StoredLabels {
  if (layers === undefined) return { labels: columnNames };
  const { first, second } = layers.pairs;
  return { labels: columnNames, pairs: { first: [...first], second: [...second] } };
}

/** The labels that were stored; undefined where they do not fit together, or to the specification. */
export function readLabels(
  { labels, pairs }: StoredLabels,
  { hidden, layers }: LabelSpec,
): LabelSet | undefined {
  if ((layers === undefined) !== (pairs === undefined)) return undefined;
  if (layers === undefined || pairs === undefined) return LabelSet.ofStates(labels, hidden?.states);
  const columns = LayerColumns.of(layers.separator, labels);
  if (columns === undefined || pairs.first.length !== pairs.second.length) return undefined;
  const read = new LabelSet([], 1, columns);
  try {
    for (const [p, a] of pairs.first.entries()) {
      read.intern(columns.labelOf(a, pairs.second[p]!));
    }
  } catch {
    return undefined;
  }
  const same =
    columns.names.length === labels.length &&
    columns.pairs.first.length === pairs.first.length &&
    columns.pairs.first.every((a, p) => a === pairs.first[p]) &&
    columns.pairs.second.every((b, p) => b === pairs.second[p]);
  return same ? read : undefined;
}
