import { applyPatch, copied, patchOf, zeros } from '../../../models/group/mixing/patch.js';
import type { MixedPlanes } from '../../../models/group/mixing/shard-job.js';
import { packed, runKeys, unpacked } from './exchange.js';
import type { TrainingStore } from './training-store.js';

/** What a pass starts from, as what has changed since another pass, or since all was 0. */
interface StoredWeights {
  /** The other pass; 0 for none. */
  readonly since: number;
  readonly planes: readonly Uint8Array[];
}

/** Below this part of what it takes to store all numbers, changes are stored: they need the pass before them. */
const worthwhile = 0.8;

/** Stores what passes start from: what has changed since the pass before, where that is less. */
export class WeightsWriter {
  readonly #store: TrainingStore;
  readonly #run: string;
  #last: { readonly pass: number; readonly planes: MixedPlanes } | undefined;

  constructor(store: TrainingStore, run: string) {
    this.#store = store;
    this.#run = run;
  }

  /** Bytes that are stored. */
  async write(pass: number, planes: MixedPlanes): Promise<number> {
    const last = this.#last;
    this.#last = { pass, planes: planes.map(copied) };
    const key = runKeys.weights(this.#run, pass);
    const all = planes.map(plane => patchOf(plane, zeros(plane)));
    const changes =
      last?.pass === pass - 1
        ? planes.map((plane, i) => patchOf(plane, last.planes[i]!))
        : undefined;
    const isLess = changes !== undefined && bytesOf(changes) < worthwhile * bytesOf(all);
    const stored: StoredWeights = isLess
      ? { since: pass - 1, planes: changes }
      : { since: 0, planes: all };
    const bytes = await packed(stored);
    await this.#store.write(key, bytes);
    return bytes.length;
  }
}

/** Reads what passes start from, and keeps the newest, which the next are made of. */
export class WeightsReader {
  readonly #store: TrainingStore;
  readonly #run: string;
  /** All zeros, of the numbers that a pass starts from. */
  readonly #zeros: () => MixedPlanes;
  #last: { readonly pass: number; readonly planes: MixedPlanes } | undefined;

  constructor(store: TrainingStore, run: string, empty: () => MixedPlanes) {
    this.#store = store;
    this.#run = run;
    this.#zeros = empty;
  }

  /** Undefined where it is not there, as when the run has ended. */
  async read(pass: number): Promise<MixedPlanes | undefined> {
    if (this.#last?.pass === pass) return this.#last.planes;
    const changes: (readonly Uint8Array[])[] = [];
    let at = pass;
    while (at !== 0 && at !== this.#last?.pass) {
      const bytes = await this.#store.read(runKeys.weights(this.#run, at));
      if (bytes === undefined) return undefined;
      const { since, planes } = await unpacked<StoredWeights>(bytes);
      changes.push(planes);
      at = since;
    }
    const planes = at === 0 ? this.#zeros() : this.#last!.planes;
    // In its place: it has no other owner, and a pass that was interrupted reads it again.
    this.#last = undefined;
    for (const patches of changes.reverse()) {
      for (const [i, patch] of patches.entries()) applyPatch(patch, planes[i]!);
    }
    this.#last = { pass, planes };
    return planes;
  }
}

function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
