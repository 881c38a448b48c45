import type { Log } from '../../core/log.js';
import { type OtherOffsets, otherOffsets } from '../../io/codecs/foreign/placed-spans.js';

/**
 * Says once of each way of counting that offsets of records are found to count so, and not as their format says.
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
  otherOffsets.subscribe(report);
  return () => otherOffsets.unsubscribe(report);
}
