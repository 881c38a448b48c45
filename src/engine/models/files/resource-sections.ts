import * as z from 'zod/mini';
import {
  type QuantisedVectors,
  type Resources,
  resourceName,
} from '../../features/resources/resources.js';
import { schemaContext } from './section-file.js';

/** A list in a model's header; its contents are in separate sections. */
export interface ListedResource {
  readonly kind: 'gazetteers' | 'clusters' | 'vectors';
  readonly name: string;
  readonly fold: boolean;
  /** Count of numbers per vector, for `vectors`. */
  readonly dimensions?: number;
}

/** A model's lists for its file: header entries, and the contents as bytes. */
export interface PackedResources {
  readonly listed: readonly ListedResource[];
  readonly sections: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

export const listedSchema = z.array(
  z.looseObject({
    kind: z.enum(['gazetteers', 'clusters', 'vectors']),
    name: z.string().check(z.regex(resourceName)),
    fold: z.boolean(),
    dimensions: z.optional(z.int().check(z.minimum(1))),
  }),
);

const kinds = ['gazetteers', 'clusters', 'vectors'] as const;
const textKinds = ['gazetteers', 'clusters'] as const;
const clusterLine = /^[01]+(?:\t[^\t]+)+$/;

/** Converts a model's lists to header entries and sections. */
export function packResources(resources: Resources = {}): PackedResources {
  const listed: ListedResource[] = [];
  const sections: Record<string, Uint8Array<ArrayBuffer>> = {};
  const encoder = new TextEncoder();
  for (const kind of textKinds) {
    for (const [name, { text, fold }] of Object.entries(resources[kind] ?? {})) {
      listed.push({ kind, name, fold });
      sections[`${kind}.${name}`] = encoder.encode(text);
    }
  }
  for (const [name, vectors] of Object.entries(resources.vectors ?? {})) {
    const { fold, dimensions } = vectors;
    listed.push({ kind: 'vectors', name, fold, dimensions });
    Object.assign(sections, packVectors(name, vectors));
  }
  return { listed, sections };
}

/**
 * Returns the lists that a header names.
 *
 * @param listed the header entries; undefined if the model has no lists
 * @param section function that returns the bytes of a section by name, or throws
 * @throws the error that `fail` returns for an invalid list
 */
export function unpackResources(
  listed: unknown,
  section: (name: string) => Uint8Array,
  fail: (what: string) => Error,
): Resources | undefined {
  if (listed === undefined) return undefined;
  const parsed = listedSchema.safeParse(listed, schemaContext);
  if (!parsed.success) throw fail('its description of lists is invalid');
  const resources = { gazetteers: emptyRecord(), clusters: emptyRecord(), vectors: emptyRecord() };
  for (const { kind, name, fold, dimensions = 0 } of parsed.data) {
    const full = `${kind}.${name}`;
    if (Object.hasOwn(resources[kind], name)) throw fail(`the list ${full} occurs twice`);
    const text = textOf(section(full));
    if (text === undefined) throw fail(`the list ${full} is not UTF-8`);
    if (kind === 'clusters' && !isClusters(text)) throw fail(`the list ${full} is malformed`);
    const list = { text, fold };
    const value = kind === 'vectors' ? unpackVectors(name, { ...list, dimensions }, section) : list;
    if (value === undefined) throw fail(`the list ${full} is malformed`);
    // Assignment would have no effect for a list called __proto__.
    Object.defineProperty(resources[kind], name, { value, ...plain });
  }
  const present = kinds.filter(kind => Object.keys(resources[kind]).length > 0);
  return Object.fromEntries(present.map(kind => [kind, resources[kind]]));
}

const plain = { enumerable: true, configurable: true, writable: true };

function emptyRecord(): Record<string, { text: string; fold: boolean }> {
  return {};
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isClusters(text: string): boolean {
  return text === '' || text.split('\n').every(line => clusterLine.test(line));
}

/**
 * Prefixes of the sections of a vector list, except its words; no other list's name has these
 * prefixes.
 */
const steps = 'vector-steps.';
const numbers = 'vector-numbers.';

/**
 * Packs a list of vectors: its words, one per line; the vectors' steps as little-endian float32; and one byte per
 * number.
 */
function packVectors(
  name: string,
  vectors: QuantisedVectors,
): Record<string, Uint8Array<ArrayBuffer>> {
  return {
    [`vectors.${name}`]: new TextEncoder().encode(vectors.text),
    [`${steps}${name}`]: bytesOf(vectors.steps),
    [`${numbers}${name}`]: bytesOf(vectors.numbers),
  };
}

/** Unpacks a vector list from these sections; returns undefined if they are inconsistent. */
function unpackVectors(
  name: string,
  list: Pick<QuantisedVectors, 'text' | 'fold' | 'dimensions'>,
  section: (name: string) => Uint8Array,
): QuantisedVectors | undefined {
  const { text, dimensions } = list;
  const words = text === '' ? 0 : text.split('\n').length;
  const stepBytes = section(`${steps}${name}`);
  const numberBytes = section(`${numbers}${name}`);
  const fits = stepBytes.length === 4 * words && numberBytes.length === dimensions * words;
  if (dimensions < 1 || !fits) return undefined;
  // Copies align the floats.
  const vectors = {
    ...list,
    numbers: new Int8Array(bytesOf(numberBytes).buffer),
    steps: new Float32Array(bytesOf(stepBytes).buffer),
  };
  return vectors.steps.every(step => step >= 0 && Number.isFinite(step)) ? vectors : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength).slice() as Uint8Array<ArrayBuffer>;
}
