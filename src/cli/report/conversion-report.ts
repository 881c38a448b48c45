import type { Position } from '../../engine/core/delivery/delivery.js';
import type { Log } from '../../engine/core/log.js';
import { counted } from '../../engine/core/wording/numbers.js';
import {
  type LeftOutSpans,
  leftOutSpans,
  type OtherOffsets,
  otherOffsets,
} from '../../formats/codecs/foreign/placed-spans.js';
import type { Dropped } from '../../runtime/io/convert.js';

/**
 * Maximum number of names counted individually, as there may be any number of attributes, and
 * maximum number of names shown.
 */
const mostNames = 1000;
const mostShown = 50;

/** Counts the records in which a conversion drops a field, by field name. Memory is bounded. */
export class DroppedFields {
  readonly #fields = new Map<string, { records: number; readonly first: Position | undefined }>();

  add({ name, position }: Dropped): void {
    const isKnown = this.#fields.has(name) || this.#fields.size < mostNames;
    const key = isKnown ? name : 'others';
    const field = this.#fields.get(key);
    if (field === undefined) this.#fields.set(key, { records: 1, first: position });
    else field.records += 1;
  }

  /** Number of records by field name, the most frequent first; undefined if nothing is dropped. */
  get counts(): Readonly<Record<string, number>> | undefined {
    if (this.#fields.size === 0) return undefined;
    return Object.fromEntries(this.#sorted.map(([name, { records }]) => [name, records]));
  }

  /** Warns about all dropped fields in one line. */
  report(format: string, log: Log): void {
    const { counts } = this;
    if (counts === undefined) return;
    const fields = this.#sorted;
    const shown = fields
      .slice(0, mostShown)
      .map(([name, { records }]) => `${shownName(name)} (${counted(records, 'record')})`);
    if (fields.length > mostShown) shown.push(`${fields.length - mostShown} more`);
    const { first } = fields[0]![1];
    const place = first === undefined ? '' : `, the first at ${first.source}:${first.line}`;
    log.warn(`left out, because ${format} cannot hold them: ${shown.join(', ')}${place}`, {
      dropped: counts,
    });
  }

  get #sorted() {
    return [...this.#fields].sort(([, a], [, b]) => b.records - a.records);
  }
}

/** Escapes a name, as names in data may contain any character. */
function shownName(name: string): string {
  const isPlain = /^[\p{L}\p{N}_.[\]{}()#: -]{1,60}$/u.test(name);
  return isPlain ? name : JSON.stringify(name.slice(0, 60));
}

/**
 * Reports, once per unit, that record offsets do not use the unit of their format. At the end,
 * reports the number of spans dropped because others overlap them, and the number of dropped span
 * pieces.
 *
 * @returns a function that ends the reporting
 */
export function reportOffsets(log: Log): () => void {
  const known = new Set<string>();
  const report = (message: unknown) => {
    const { counts, offsets } = message as OtherOffsets;
    if (known.has(counts)) return;
    known.add(counts);
    const how =
      offsets === undefined ? '' : ` (offsets: ${offsets} in the source reads all of them so)`;
    log.warn(`offsets of a record fit its words only as ${counts}, and are read that way${how}`);
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
