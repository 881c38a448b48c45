import type { Log } from '../../core/log.js';
import { counted } from '../../core/wording/counted.js';
import {
  type LeftOutSpans,
  leftOutSpans,
  type OtherOffsets,
  otherOffsets,
} from '../../io/codecs/foreign/placed-spans.js';

/**
 * Says once of each way of counting that offsets of records are found to count so, and not as their format says; and at the end
 * how many spans were left out, as others overlap them, and how many pieces of spans.
 *
 * @returns what ends this
 */
export function reportOffsets(log: Log): () => void {
  const known = new Set<string>();
  const report = (message: unknown) => {
    const { counts, offsets } = message as OtherOffsets;
    if (known.has(counts)) return;
    known.add(counts);
    const how =
      offsets === undefined ? '' : ` (offsets: ${offsets} in the source reads all of them so)`;
    log.warn(`offsets of a record fit its words only as ${counts}, and are read so${how}`);
  };
  const counts = { overlap: 0, pieces: 0 };
  const count = (message: unknown) => {
    const { why, count: more } = message as LeftOutSpans;
    counts[why] += more;
  };
  otherOffsets.subscribe(report);
  leftOutSpans.subscribe(count);
  return () => {
    otherOffsets.unsubscribe(report);
    leftOutSpans.unsubscribe(count);
    const { overlap, pieces } = counts;
    if (overlap > 0)
      log.warn(`left out: ${counted(overlap, 'span')} that others overlap`, { overlap });
    if (pieces > 0)
      log.warn(`left out: ${counted(pieces, 'piece')} of spans in several pieces`, { pieces });
  };
}
