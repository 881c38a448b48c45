import type { Hash } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { CheckpointParts, State } from '../../../engine/core/training/state.js';
import { deepestJson, jsonDepth } from '../../../engine/kernels/byte-checks.js';
import { syncDirectory } from '../../../formats/files/directories.js';
import { hashing, os } from '../../../formats/files/node-parts.js';
import { readFully } from '../../../formats/files/with-file-bytes.js';
import { writeDurably } from '../writing/atomic-write.js';

/**
 * Reads the checkpoint in a directory, checking every byte.
 *
 * @throws TagstreamError `checkpoint` if it is damaged, or errors of the file system
 */
export function readGeneration(directory: string): CheckpointParts {
  const manifest = readManifest(readFileSync(join(directory, manifestFile), 'utf8'));
  const expected = manifest.files[arraysFile];
  const file = openSync(join(directory, arraysFile), 'r');
  try {
    const bytes = manifest.parts
      .flatMap(part => part.sections)
      .reduce((sum, { type, length }) => sum + length * itemBytes(type), 0);
    // The lengths are compared first, so that a damaged length is never allocated.
    if (expected?.bytes !== bytes || fstatSync(file).size !== bytes) {
      throw damaged(`${arraysFile} does not have the ${bytes} bytes given in the manifest`);
    }
    const hash = hashing().createHash('sha256');
    const parts = readParts(file, manifest, hash);
    if (hash.digest('hex') !== expected.sha256) {
      throw damaged(`${arraysFile} is damaged: its SHA-256 does not match`);
    }
    return parts;
  } finally {
    closeSync(file);
  }
}

function readParts(file: number, manifest: Manifest, hash: Hash): CheckpointParts {
  const entries = manifest.parts.map(({ name, json, sections }): [string, State] => {
    const arrays = sections.map(({ name, type, length }): [string, SectionArray] => {
      const array = emptyArray(type, length);
      const isWhole = readFully(file, memoryOf(array), null);
      if (!isWhole) throw damaged(`${arraysFile} is truncated`);
      hash.update(memoryOf(array));
      // The data is little-endian; a big-endian machine converts it by the same swap.
      const turned = littleEndian(array);
      if (turned.buffer !== array.buffer) memoryOf(array).set(turned);
      return [name, array];
    });
    return [name, { json, arrays: Object.fromEntries(arrays) }];
  });
  return Object.fromEntries(entries);
}

function damaged(problem: string): TagstreamError {
  return new TagstreamError('checkpoint', problem);
}

const manifestFile = 'manifest.json';
const arraysFile = 'arrays.bin';

/**
 * Writes all files of a checkpoint into a new directory and flushes them; the manifest comes last.
 *
 * @throws TagstreamError `checkpoint` if a part cannot be stored; errors of the file system
 */
export function writeGeneration(directory: string, parts: CheckpointParts): void {
  const described = Object.entries(parts).map(([name, state]) => ({
    name,
    json: exactJson(state.json, `${name}.json`),
    sections: Object.entries(state.arrays).map(([section, array]) => ({
      name: section,
      type: typeOf(array, `${name}.arrays.${section}`),
      length: array.length,
    })) satisfies ManifestPart['sections'],
  }));
  mkdirSync(directory);
  const hash = hashing().createHash('sha256');
  let bytes = 0;
  function* sections() {
    for (const { arrays } of Object.values(parts)) {
      for (const array of Object.values(arrays)) {
        const section = littleEndian(array);
        hash.update(section);
        bytes += section.length;
        yield section;
      }
    }
  }
  writeDurably(join(directory, arraysFile), sections());
  const files = { [arraysFile]: { bytes, sha256: hash.digest('hex') } };
  const partTexts = described.map(
    ({ name, json, sections }) =>
      `{"name":${JSON.stringify(name)},"json":${json},"sections":${JSON.stringify(sections)}}`,
  );
  const body = `{"format":${formatVersion},"files":${JSON.stringify(files)},"parts":[${partTexts.join(',')}]}`;
  writeDurably(join(directory, manifestFile), [sealManifest(body)]);
  syncDirectory(directory);
}

/**
 * Returns JSON that `JSON.parse` turns back into exactly the same value: `-0` stays `-0`, and values that JSON would
 * silently alter or drop are rejected. Undefined properties are omitted.
 *
 * @param where name of the value, for errors
 * @throws TagstreamError `checkpoint` that names the path of a number that is not finite, or of
 * anything other than null, booleans, numbers, strings, arrays and plain objects
 * @example
 * exactJson({ rate: -0, steps: [1, 2.5] }, 'schedule') // => '{"rate":-0,"steps":[1,2.5]}'
 */
export function exactJson(value: unknown, where: string): string {
  return write(value, [where]);
}

/** Writes a value; `path`, where it is, is formatted only for errors. */
function write(value: unknown, path: (string | number)[]): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') {
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refused(`the number ${value}`, path);
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (Array.isArray(value)) return `[${writeItems(value, path).join(',')}]`;
  if (typeof value !== 'object' || !isPlain(value)) throw refused(nameOf(value), path);
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    path.push(key);
    members.push(`${JSON.stringify(key)}:${write(member, path)}`);
    path.pop();
  }
  return `{${members.join(',')}}`;
}

function writeItems(items: readonly unknown[], path: (string | number)[]): string[] {
  const texts: string[] = [];
  // An index loop, because `map` would skip holes, which must be rejected.
  for (let i = 0; i < items.length; i += 1) {
    path.push(i);
    texts.push(write(items[i], path));
    path.pop();
  }
  return texts;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return `an object of class ${value.constructor.name}`;
}

function refused(what: string, path: readonly (string | number)[]): TagstreamError {
  const where = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return new TagstreamError(
    'checkpoint',
    `a checkpoint cannot store ${what} at ${where.slice(1)}`,
    { fix: 'put JSON values with finite numbers into json, and typed arrays into arrays' },
  );
}

export type SectionArray = State['arrays'][string];

const constructors = {
  u8: Uint8Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
};

/** Element type of a section. */
export const sectionType = z.enum(['u8', 'i32', 'u32', 'f32', 'f64']);

export type SectionType = z.output<typeof sectionType>;

/** Returns the section type of an array; `where` names the array in the error. */
export function typeOf(array: SectionArray, where: string): SectionType {
  for (const type of sectionType.options) {
    if (array instanceof constructors[type]) return type;
  }
  throw new TagstreamError('checkpoint', `a checkpoint cannot store the array ${where}`, {
    fix: 'use Uint8Array, Int32Array, Uint32Array, Float32Array or Float64Array',
  });
}

/** Returns a zero-filled array of a section's type. */
export function emptyArray(type: SectionType, length: number): SectionArray {
  return new constructors[type](length);
}

/** Returns the number of bytes per item. */
export function itemBytes(type: SectionType): number {
  return constructors[type].BYTES_PER_ELEMENT;
}

/** Returns an array's memory as bytes, without copying. */
export function memoryOf(array: SectionArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * Returns the bytes of an array in little-endian order: its own memory on a little-endian machine, otherwise a copy.
 *
 * @example
 * littleEndian(Int32Array.of(1)) // => Uint8Array.of(1, 0, 0, 0)
 */
export function littleEndian(array: SectionArray, machine = os().endianness()): Uint8Array {
  const bytes = memoryOf(array);
  return machine === 'LE' ? bytes : swapped(bytes, array.BYTES_PER_ELEMENT);
}

function swapped(bytes: Uint8Array, itemSize: number): Uint8Array {
  const copy = Buffer.from(bytes);
  if (itemSize === 4) copy.swap32();
  else if (itemSize === 8) copy.swap64();
  return copy;
}

/** Version of the directory layout that this code writes and reads. */
export const formatVersion = 1;

const size = z.int().check(z.nonnegative());

/** Checked but not copied: the schema's copy would drop a key `__proto__`. */
const jsonObject = z.custom<Record<string, unknown>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const manifestSchema = z.strictObject({
  format: z.literal(formatVersion),
  /** Name, size and checksum of each file except the manifest. */
  files: z.record(z.string(), z.strictObject({ bytes: size, sha256: z.string() })),
  parts: z.array(
    z.strictObject({
      name: z.string(),
      json: jsonObject,
      /** Arrays in the order of the binary file, one after the other. */
      sections: z.array(z.strictObject({ name: z.string(), type: sectionType, length: size })),
    }),
  ),
});

export type Manifest = z.output<typeof manifestSchema>;
export type ManifestPart = Manifest['parts'][number];

const head = '{"sha256":"';
const hashLength = 64;

/**
 * Returns the text of a manifest file: the body's JSON with its SHA-256 prepended as a member, so that a damaged
 * manifest is detected too.
 *
 * @param body JSON text of an object with at least one member
 */
export function sealManifest(body: string): string {
  return `${head}${sha256(body)}",${body.slice(1)}\n`;
}

/**
 * Parses the text of a manifest.
 *
 * @throws TagstreamError `checkpoint` if it is damaged, or of another format version
 */
export function readManifest(text: string): Manifest {
  const hash = text.slice(head.length, head.length + hashLength);
  const body = `{${text.slice(head.length + hashLength + 2, -1)}`;
  if (text !== `${head}${hash}",${body.slice(1)}\n` || sha256(body) !== hash) {
    throw new TagstreamError('checkpoint', 'the manifest is damaged: its SHA-256 does not match');
  }
  const value = parsed(body);
  if (value.format !== formatVersion) {
    const problem = `the checkpoint has format ${String(value.format)}, expected ${formatVersion}`;
    throw new TagstreamError('checkpoint', problem, {
      fix: 'resume with the version of Tagstream that wrote it',
    });
  }
  const result = manifestSchema.safeParse(value);
  if (result.success && !repeatsName(result.data)) return result.data;
  throw new TagstreamError('checkpoint', 'the manifest is not in the format of this version', {
    cause: result.error,
  });
}

function parsed(body: string): { format?: unknown } {
  if (jsonDepth(new TextEncoder().encode(body)) <= deepestJson) {
    try {
      return JSON.parse(body) as { format?: unknown };
    } catch {
      // Reported as damaged below.
    }
  }
  throw new TagstreamError('checkpoint', 'the manifest is not JSON in the format of this version');
}

function repeatsName({ parts }: Manifest): boolean {
  const repeats = (items: readonly { name: string }[]) =>
    new Set(items.map(({ name }) => name)).size < items.length;
  return repeats(parts) || parts.some(({ sections }) => repeats(sections));
}

function sha256(text: string): string {
  return hashing().createHash('sha256').update(text).digest('hex');
}
