import type { Position } from '../../core/delivery/delivery.js';
import type { Log } from '../../core/log.js';
import { counted } from '../../core/wording/counted.js';
import type { Dropped } from '../../io/convert.js';

/** Names that are counted one by one, as attributes may have any number of them, and names that are shown. */
const mostNames = 1000;
const mostShown = 50;

/** Counts the records whose fields a conversion leaves out, by the name of the field. Memory is bounded. */
export class DroppedFields {
  readonly #fields = new Map<string, { records: number; readonly first: Position | undefined }>();

  add({ name, position }: Dropped): void {
    const isKnown = this.#fields.has(name) || this.#fields.size < mostNames;
    const key = isKnown ? name : 'others';
    const field = this.#fields.get(key);
    if (field === undefined) this.#fields.set(key, { records: 1, first: position });
    else field.records += 1;
  }

  /** Records by name, the most frequent one first; undefined if nothing is left out. */
  get counts(): Readonly<Record<string, number>> | undefined {
    if (this.#fields.size === 0) return undefined;
    return Object.fromEntries(this.#sorted.map(([name, { records }]) => [name, records]));
  }

  /** Warns of all fields in one line. */
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
    log.warn(`left out, as ${format} does not hold them: ${shown.join(', ')}${place}`, {
      dropped: counts,
    });
  }

  get #sorted() {
    return [...this.#fields].sort(([, a], [, b]) => b.records - a.records);
  }
}

/** Names of data may hold anything. */
function shownName(name: string): string {
  const isPlain = /^[\p{L}\p{N}_.[\]{}()#: -]{1,60}$/u.test(name);
  return isPlain ? name : JSON.stringify(name.slice(0, 60));
}
