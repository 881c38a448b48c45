import { moduleBytes } from './module-bytes.js';

/** The functions of the module, each for one precision; addresses and counts are integers. */
export interface SimdExports {
  scoreEmissions(...given: number[]): void;
  copyScaled(out: number, source: number, count: number, factor: number): void;
  addScaled(out: number, source: number, count: number, factor: number): void;
  exponentiateRows(...given: number[]): void;
  exponentiateMatrix(scores: number, exps: number, labels: number, width: number): number;
  forward(...given: number[]): number;
  backward(...given: number[]): number;
  viterbi(...given: number[]): number;
  accumulateRows(...given: number[]): void;
  scaleNumbers(table: number, count: number, factor: number): void;
  penaliseRows(...given: number[]): void;
  penaliseNumbers(weights: number, received: number, count: number, total: number): void;
}

const names = [
  'scoreEmissions',
  'copyScaled',
  'addScaled',
  'exponentiateRows',
  'exponentiateMatrix',
  'forward',
  'backward',
  'viterbi',
  'accumulateRows',
  'scaleNumbers',
  'penaliseRows',
  'penaliseNumbers',
] as const satisfies readonly (keyof SimdExports)[];

let compiled: WebAssembly.Module | undefined;

/** The module over a memory, in one precision. */
export function simdExports(memory: WebAssembly.Memory, suffix: 'f32' | 'f64'): SimdExports {
  compiled ??= new WebAssembly.Module(decoded(moduleBytes));
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory, log: Math.log } });
  return Object.fromEntries(
    names.map(name => [name, exports[`${name}_${suffix}`]]),
  ) as unknown as SimdExports;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
