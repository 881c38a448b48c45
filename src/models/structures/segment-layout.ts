import type { SegmentSpec } from '../../features/segments/segment-feature.js';
import { segmentTablesOf } from '../../inference/segments/segment-tables-of.js';
import type { SegmentLayout } from '../../kernels/segments/segment-scores.js';
import type { SegmentTables } from '../../kernels/segments/segment-tables.js';
import type { LabelSet } from '../labels/label-set.js';

/** What the labels of a model mean for its spans, made anew when there are more of them. */
export function segmentLayout({ maxLength }: SegmentSpec, labels: LabelSet): SegmentLayout {
  let tables: SegmentTables | undefined;
  return {
    maxLength,
    tables() {
      if (tables?.labels !== labels.size) tables = segmentTablesOf(labels.names, maxLength);
      return tables;
    },
  };
}
