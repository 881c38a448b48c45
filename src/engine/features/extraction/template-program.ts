import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { ContentTable } from '../fingerprints/content-table.js';
import { finished } from '../fingerprints/fingerprint.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import { type PlannedTemplate, type PlannedVector, placeOf } from './extraction-plan.js';

/** A dimension of a vector as a template, with its feature's fingerprint. */
interface VectorTemplate {
  readonly vector: PlannedVector;
  readonly lo: number;
  readonly hi: number;
}

/**
 * The features of a `%vector` template: one per dimension, with a constant fingerprint and a
 * component of the word's vector as its value.
 */
class VectorFeatures {
  /**
   * Number of the first dimension's template, which is followed by those of the other dimensions.
   */
  readonly #first: number;
  readonly #vector: PlannedVector;
  /** Fingerprints by dimension, alternating lo and hi. */
  readonly #fingerprints: Uint32Array;

  /**
   * @param first number of the first dimension's template
   * @param templates templates of all dimensions, in order
   */
  constructor(first: number, templates: readonly VectorTemplate[]) {
    this.#first = first;
    this.#vector = templates[0]!.vector;
    this.#fingerprints = Uint32Array.from(templates.flatMap(({ lo, hi }) => [lo, hi]));
  }

  /**
   * Writes the fingerprints and values of the features; 0 if a token, or the position next to the
   * sentence, has no vector.
   */
  write(table: ContentTable, list: FingerprintList, values: Float64Array): void {
    const { piece, list: vectors } = this.#vector;
    const { dimensions, numbers, steps } = vectors;
    const { length, templates } = list;
    const words = list.words();
    const contents = table.lo;
    const start = piece.atom * table.stride + table.margin;
    for (let t = 0; t < length; t += 1) {
      const at = placeOf(piece, t, length);
      const vector = (at < 0 || at >= length ? 0 : contents[start + at]!) - 1;
      const place = t * templates + this.#first;
      if (vector < 0) {
        words.fill(0, 2 * place, 2 * (place + dimensions));
        continue;
      }
      const step = steps[vector]!;
      const from = vector * dimensions;
      for (let d = 0; d < dimensions; d += 1) {
        const number = numbers[from + d]!;
        const isThere = number !== 0;
        words[2 * (place + d)] = isThere ? this.#fingerprints[2 * d]! : 0;
        words[2 * (place + d) + 1] = isThere ? this.#fingerprints[2 * d + 1]! : 0;
        values[place + d] = number * step;
      }
    }
  }
}

const loStart = 0x3c6ef372;
const hiStart = 0x1b873593;

/** A template that the kernel does not handle, with its number. */
export interface SpecialTemplate {
  readonly number: number;
  readonly template: PlannedTemplate;
}

/**
 * Templates as flat words for the kernel (`engine/kernels/simd/assembly/features/combine.ts`): the hash of
 * each template's leading text, followed by its pieces, each an atom with an offset or the hash of
 * a text.
 *
 * The fingerprint of a feature mixes the hashes of its pieces in order, in one 32-bit lane each for
 * lo and hi, followed by murmur3's finaliser across the lanes.
 */
export class TemplateProgram {
  readonly count: number;
  /** Templates with absolute positions or with values, except vectors. */
  readonly specials: readonly SpecialTemplate[];
  readonly vectors: readonly VectorFeatures[];
  readonly #memory: LinearMemory;
  readonly #offset: number;

  constructor(templates: readonly PlannedTemplate[], memory: LinearMemory) {
    this.count = templates.length;
    this.#memory = memory;
    this.specials = templates
      .map((template, number) => ({ template, number }))
      .filter(({ template }) => isSpecial(template) && template.vector === undefined);
    this.vectors = vectorFeaturesOf(templates);
    const words = Int32Array.from([...templates.flatMap(headerOf), ...templates.flatMap(piecesOf)]);
    this.#offset = memory.allocate(words.byteLength);
    new Int32Array(memory.buffer, this.#offset, words.length).set(words);
  }

  /** Address of the program for the kernel. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether features may have values other than 1. */
  get isValued(): boolean {
    return (
      this.vectors.length > 0 || this.specials.some(({ template }) => template.reals.length > 0)
    );
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /**
   * Computes the fingerprints of a sentence, except those of special templates and vectors, whose entries are left
   * unchanged.
   */
  run(table: ContentTable, list: FingerprintList): void {
    featureFunctions(this.#memory).combine(
      this.#offset,
      this.count,
      table.loOffset,
      table.hiOffset,
      table.stride,
      table.margin,
      list.length,
      list.offset,
    );
  }
}

/** Groups the templates of dimensions, which are consecutive, starting with that of dimension 0. */
function vectorFeaturesOf(templates: readonly PlannedTemplate[]): VectorFeatures[] {
  return templates.flatMap(({ vector: begun }, first) => {
    if (begun?.dimension !== 0) return [];
    const own = templates.slice(first, first + begun.list.dimensions);
    const all: VectorTemplate[] = own.map(({ vector, pieces }) => ({
      vector: vector!,
      ...fingerprintOf(pieces),
    }));
    return [new VectorFeatures(first, all)];
  });
}

function isSpecial({ reals, vector, pieces }: PlannedTemplate): boolean {
  return reals.length > 0 || vector !== undefined || pieces.some(piece => piece.absolute);
}

function headerOf(template: PlannedTemplate): number[] {
  const { pieces } = template;
  const { lo, hi } = leadOf(template);
  const count = pieces.length - (pieces[0]?.atom === -1 ? 1 : 0);
  return [count, lo, hi, isSpecial(template) ? 1 : 0];
}

/** Returns the hash of a template's leading text, which is mixed with its first atom. */
export function leadOf({ pieces }: PlannedTemplate): { readonly lo: number; readonly hi: number } {
  const [lead] = pieces;
  if (lead?.atom !== -1) return { lo: loStart, hi: hiStart };
  return { lo: mixLo(loStart, lead.lo), hi: mixHi(hiStart, lead.hi) };
}

function piecesOf({ pieces }: PlannedTemplate): number[] {
  const rest = pieces[0]?.atom === -1 ? pieces.slice(1) : pieces;
  return rest.flatMap(({ atom, offset, lo, hi }) => [atom, offset, lo, hi]);
}

function mixLo(lane: number, content: number): number {
  const x = Math.imul(lane ^ content, 0x9e3779b1);
  return (x << 15) | (x >>> 17);
}

function mixHi(lane: number, content: number): number {
  const x = Math.imul(lane ^ content, 0x85ebca77);
  return (x << 13) | (x >>> 19);
}

/** Computes the same fingerprint piece by piece; slow, for special templates. */
export function fingerprintOf(pieces: readonly { lo: number; hi: number }[]): {
  lo: number;
  hi: number;
} {
  let lo = loStart;
  let hi = hiStart;
  for (const piece of pieces) {
    lo = mixLo(lo, piece.lo);
    hi = mixHi(hi, piece.hi);
  }
  lo = finished(lo ^ Math.imul(hi, 0x9e3779b1));
  return { lo, hi: finished(hi ^ Math.imul(lo, 0x85ebca77)) };
}
