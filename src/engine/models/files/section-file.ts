import type * as z from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';
import { TagstreamError } from '../../core/errors.js';
import { checksum, deepestJson, jsonDepth } from '../../kernels/byte-checks.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

/** Arrays by name, as stored in a model file. */
export type Sections = Readonly<
  Record<string, Uint8Array | Uint16Array | Uint32Array | Float32Array>
>;

const magic = 0x4d475354; // "TSGM"
const preamble = 24;
/** Maximum length of a header that Tagstream writes, in bytes. */
const longestHeader = 2 ** 26;

/**
 * Returns a JSON header and arrays as the bytes of a file:
 *
 *     0  "TSGM"   4  version   8  header bytes   12  checksum of the header   16  whole length   20  0
 *     24 header: JSON, with a table of the sections, padded to 8 bytes; then the sections, padded with zeros
 *
 * All numbers are little-endian; checksums are CRC-32C. The same input gives the same bytes. The result
 * consists of pieces to be written in order: views of the sections, which are not copied.
 */
export function writeSections(
  version: number,
  header: Readonly<Record<string, unknown>>,
  sections: Sections,
): Uint8Array[] {
  const entries: SectionEntry[] = [];
  const pieces: Uint8Array[] = [];
  let offset = 0;
  for (const [name, array] of Object.entries(sections)) {
    const bytes = bytesOf(array);
    entries.push({
      name,
      type: typeOf(array),
      offset,
      length: array.length,
      checksum: checksum(bytes),
    });
    pieces.push(bytes, new Uint8Array(padded(bytes.length) - bytes.length));
    offset += padded(bytes.length);
  }
  const json = new TextEncoder().encode(JSON.stringify({ ...header, sections: entries }));
  const start = padded(preamble + json.length);
  const head = new Uint8Array(start);
  head.fill(0x20, preamble + json.length);
  head.set(json, preamble);
  const view = new DataView(head.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, version, true);
  view.setUint32(8, start - preamble, true);
  view.setUint32(12, checksum(head.subarray(preamble)), true);
  view.setUint32(16, start + offset, true);
  return [head, ...pieces];
}

/** Returns whether bytes begin like a section file. */
export function isSectionFile(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  return length >= 4 && new DataView(buffer, byteOffset).getUint32(0, true) === magic;
}

/** The result of `readSections`. */
export interface SectionFile {
  /** Version of the format, which no checksum covers: readers compare it with the content of the header. */
  readonly version: number;
  readonly header: Readonly<Record<string, unknown>>;
  /** Returns whether there is a section with this name. */
  has(name: string): boolean;
  /**
   * @throws TagstreamError `model-damaged` if the section is absent, has another type or is damaged
   */
  section<Name extends SectionTypeName>(
    name: string,
    type: Name,
  ): InstanceType<(typeof sectionTypes)[Name]>;
  /**
   * Reads a section into newly allocated memory; returns its address.
   *
   * @throws TagstreamError as `section`
   */
  place(name: string, type: SectionTypeName, memory: LinearMemory): number;
  /**
   * Opens a section for sequential reading; the returned function fills its argument with the next
   * bytes.
   *
   * @throws TagstreamError as `section`; for a damaged section, at the last byte
   */
  open(name: string, type: SectionTypeName): (into: Uint8Array) => void;
  /**
   * Returns a section with the bytes of another file, to be read part by part. They are not checked,
   * as a section file has its own checksums.
   *
   * @throws TagstreamError `model-damaged` if the section is absent
   */
  file(name: string): FileBytes;
  /** Number of elements in a section. */
  lengthOf(name: string, type: SectionTypeName): number;
}

/**
 * Reads the output of `writeSections`. Allocates nothing larger than the file.
 *
 * @param newest newest supported version; older versions are supported too
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format` (not such a file), `model-version`, `model-damaged`
 */
export function readSections(
  bytes: Uint8Array | FileBytes,
  newest: number,
  source: string,
): SectionFile {
  const fail = damagedModel(source);
  const parts = bytes instanceof Uint8Array ? partsOf(bytes) : bytes;
  const begin = new Uint8Array(Math.min(preamble, parts.length));
  parts.read(0, begin);
  const view = new DataView(begin.buffer);
  if (begin.length < 8 || view.getUint32(0, true) !== magic) {
    throw new TagstreamError('model-format', 'this is not a Tagstream model file', {
      place: { source },
      fix: 'pass a file that train wrote',
    });
  }
  const found = view.getUint32(4, true);
  if (found < 1 || found > newest) {
    const read = newest === 1 ? 'version 1' : `versions 1 to ${newest}`;
    throw new TagstreamError(
      'model-version',
      `the model has format version ${found}; this program reads ${read}`,
      { place: { source }, fix: 'train it again, or use the version that wrote it' },
    );
  }
  if (begin.length < preamble) throw fail('it is cut off in its first bytes');
  const length = view.getUint32(16, true);
  if (length !== parts.length) throw fail(`it has ${parts.length} bytes of ${length}`);
  const headerBytes = view.getUint32(8, true);
  const start = preamble + headerBytes;
  if (start > length || view.getUint32(20, true) !== 0) throw fail('its preamble is invalid');
  const json = new Uint8Array(headerBytes);
  parts.read(preamble, json);
  if (checksum(json) !== view.getUint32(12, true))
    throw fail('the checksum of its header is wrong');
  const header = parseHeader(json, fail);
  const entries = readSectionTable(header.sections, length - start, fail);
  for (const entry of entries.values()) {
    const end = bytesIn(entry);
    const padding = new Uint8Array(padded(end) - end);
    parts.read(start + entry.offset + end, padding);
    if (padding.some(byte => byte !== 0)) {
      throw fail(`the bytes after section ${entry.name} are not zero`);
    }
  }
  const entryOf = (name: string, type: SectionTypeName) => {
    const entry = entries.get(name);
    if (entry === undefined || entry.type !== type) throw fail(`it has no section ${name}`);
    return entry;
  };
  const requireSum = (entry: SectionEntry, sum: number) => {
    if (sum !== entry.checksum) throw fail(`the checksum of section ${entry.name} is wrong`);
  };
  const readInto = (entry: SectionEntry, section: Uint8Array<ArrayBuffer>) => {
    parts.read(start + entry.offset, section);
    requireSum(entry, checksum(section));
    return section;
  };
  return {
    version: found,
    header,
    has: name => entries.has(name),
    lengthOf: (name, type) => entryOf(name, type).length,
    file(name) {
      const { offset, length: own } = entryOf(name, 'Uint8Array');
      return {
        length: own,
        isInMemory: parts.isInMemory,
        read: (from, into) => parts.read(start + offset + from, into),
      };
    },
    section(name, type) {
      const entry = entryOf(name, type);
      const { buffer } = readInto(entry, new Uint8Array(bytesIn(entry)));
      return new sectionTypes[type](buffer) as InstanceType<(typeof sectionTypes)[typeof type]>;
    },
    open(name, type) {
      const entry = entryOf(name, type);
      let at = 0;
      let sum = 0;
      return into => {
        parts.read(start + entry.offset + at, into);
        sum = checksum(into, sum);
        at += into.length;
        if (at === bytesIn(entry)) requireSum(entry, sum);
      };
    },
    place(name, type, memory) {
      const entry = entryOf(name, type);
      const offset = memory.allocate(bytesIn(entry));
      readInto(entry, new Uint8Array(memory.buffer, offset, bytesIn(entry)));
      return offset;
    },
  };
}

/**
 * Adds the bytes of a section to an object: read now if the file is in memory, where others may change it later,
 * otherwise at each access.
 */
export function withBytes<Owner extends object>(
  owner: Owner,
  file: SectionFile,
  name: string,
): Owner & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const read = () => file.section(name, 'Uint8Array') as Uint8Array<ArrayBuffer>;
  if (file.file(name).isInMemory) return { ...owner, bytes: read() };
  return Object.defineProperty(owner, 'bytes', { get: read }) as Owner & {
    readonly bytes: Uint8Array<ArrayBuffer>;
  };
}

function bytesIn({ type, length }: SectionEntry): number {
  return length * sectionTypes[type].BYTES_PER_ELEMENT;
}

function parseHeader(
  json: Uint8Array,
  fail: (what: string) => TagstreamError,
): Record<string, unknown> {
  if (json.length > longestHeader) throw fail(`its header has ${json.length} bytes`);
  const header = jsonOf(json, what => fail(`its header is ${what}`));
  if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  throw fail('its header is not an object');
}

/**
 * Parses JSON given as bytes.
 *
 * @throws the error that `fail` returns for invalid UTF-8 or JSON, or for too deep nesting
 */
export function jsonOf(
  bytes: Uint8Array,
  fail: (what: 'nested too deep' | 'not JSON') => TagstreamError,
): unknown {
  try {
    if (jsonDepth(bytes) > deepestJson) throw fail('nested too deep');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw cause instanceof TagstreamError ? cause : fail('not JSON');
  }
}

/** Returns a function that creates the error for a damaged model file. */
export function damagedModel(source: string): (what: string) => TagstreamError {
  return what =>
    new TagstreamError('model-damaged', `the model file is damaged: ${what}`, {
      place: { source },
      fix: 'copy it from its origin again, or train again',
    });
}

/** Returns the type of an array, whose class may be a subclass of that type, such as `Buffer`. */
function typeOf(array: Sections[string]): SectionTypeName {
  return array[Symbol.toStringTag] as SectionTypeName;
}

function bytesOf(array: Sections[string]): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Types of arrays in a model file. */
const sectionTypes = { Uint8Array, Uint16Array, Uint32Array, Float32Array } as const;

type SectionTypeName = keyof typeof sectionTypes;

/** A section's place in a file, counted from the end of the header. */
interface SectionEntry {
  readonly name: string;
  readonly type: SectionTypeName;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/**
 * Reads and checks the section table of a header: each section begins where the previous one ends,
 * padded to 8 bytes, and the last one ends with the file. So no length in the table can exceed the
 * file.
 *
 * @param bytes bytes of all sections
 * @throws the error that `fail` returns for an invalid table
 */
function readSectionTable(
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
      throw fail('its table of sections is invalid');
    }
    entries.set(entry.name, entry);
    next += padded(entry.length * sectionTypes[entry.type].BYTES_PER_ELEMENT);
    if (next > bytes) throw fail(`section ${entry.name} extends past its end`);
  }
  if (next !== bytes) throw fail('it has bytes outside its sections');
  return entries;
}

/** Returns the next multiple of eight, at which a section begins. */
function padded(bytes: number): number {
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

/**
 * A file's bytes, read part by part into existing memory.
 *
 * @example
 * const bytes = partsOf(Uint8Array.of(1, 2, 3));
 * const part = new Uint8Array(2);
 * bytes.read(1, part);
 * part // => Uint8Array.of(2, 3)
 */
export interface FileBytes {
  readonly length: number;
  /** Whether the bytes are in memory, where others may change them later. */
  readonly isInMemory?: boolean | undefined;
  /** Fills `into` with the bytes from `from` on. */
  read(from: number, into: Uint8Array): void;
}

/** Returns the bytes of a file in memory. */
export function partsOf(bytes: Uint8Array): FileBytes {
  return {
    length: bytes.length,
    isInMemory: true,
    read: (from, into) => into.set(bytes.subarray(from, from + into.length)),
  };
}

/**
 * Settings for parsing model files by schemas: no generated code, because each file is read only
 * once, and English messages regardless of the loaded locale.
 */
export const schemaContext: z.ParseContext<z.$ZodIssue> = {
  jitless: true,
  error: en().localeError,
};
