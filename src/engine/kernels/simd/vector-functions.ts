import type { WasmMemory } from '../memory/linear-memory.js';
import { instantiate } from './instantiate.js';

/** The module's functions for long float64 vectors; addresses and counts are integers. */
export interface VectorFunctions {
  combineThenDot(
    out: number,
    a: number,
    x: number,
    b: number,
    y: number,
    z: number,
    count: number,
  ): number;
  dotVectors(x: number, y: number, count: number): number;
  multiplyThenDot(out: number, x: number, y: number, z: number, count: number): number;
  countActive(x: number, count: number): number;
  clearVector(out: number, count: number): void;
  narrowDifference(out: number, x: number, y: number, count: number): number;
  addProducts(
    table: number,
    many: number,
    at: number,
    x: number,
    y: number,
    count: number,
    sums: number,
  ): void;
  mixVectors(
    out: number,
    a: number,
    table: number,
    factors: number,
    many: number,
    at: number,
    count: number,
  ): void;
  addAtPlaces(out: number, places: number, values: number, from: number, to: number): void;
}

/** Returns the module over a memory, for long vectors. */
export function vectorFunctions(memory: WasmMemory): VectorFunctions {
  return instantiate(memory) as unknown as VectorFunctions;
}
