/** Types of the arrays that a model file holds. */
export const sectionTypes = { Uint8Array, Uint16Array, Uint32Array, Float32Array } as const;

export type SectionTypeName = keyof typeof sectionTypes;

/** Where a section lies in a file, counted from the end of its header. */
export interface SectionEntry {
  readonly name: string;
  readonly type: SectionTypeName;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/**
 * The table of sections of a header, whole: each section begins where the one before ends, padded to 8
 * bytes, and the last one ends with the file. So no length in it can ask for more than there is.
 *
 * @param bytes bytes of all sections
 * @throws what `fail` makes of a table that is not so
 */
export function readSectionTable(
  table: unknown,
  bytes: number,
  fail: (what: string) => Error,
): ReadonlyMap<string, SectionEntry> {
  if (!Array.isArray(table)) throw fail('its header has no table of sections');
  const entries = new Map<string, SectionEntry>();
  let next = 0;
  for (const item of table as readonly unknown[]) {
    const entry = entryOf(item);
    if (entry === undefined || entries.has(entry.name) || entry.offset !== next) {
      throw fail('its table of sections is wrong');
    }
    entries.set(entry.name, entry);
    next += padded(entry.length * sectionTypes[entry.type].BYTES_PER_ELEMENT);
    if (next > bytes) throw fail(`section ${entry.name} goes beyond its end`);
  }
  if (next !== bytes) throw fail('its sections are not all of it');
  return entries;
}

/** The next multiple of eight, where each section begins. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function entryOf(item: unknown): SectionEntry | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { name, type, offset, length, checksum } = item as Partial<SectionEntry>;
  const known =
    typeof name === 'string' && typeof type === 'string' && Object.hasOwn(sectionTypes, type);
  if (!known || !isCount(offset) || !isCount(length) || !isCount(checksum)) return undefined;
  return { name, type, offset, length, checksum };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
