import { applyPatch, copied, patchOf, zeros } from '../../engine/models/group/mixing/patch.js';
import type { MixedPlanes } from '../../engine/models/group/mixing/shard-job.js';
import { packed, runKeys, unpacked } from './exchange.js';
import type { TrainingStore } from './training-store.js';

/** Initial weights of a pass, as changes since another pass, or since all-zero weights. */
interface StoredWeights {
  /** Number of the other pass; 0 for none. */
  readonly since: number;
  readonly planes: readonly Uint8Array[];
}

/** Maximum share of all numbers up to which changes are stored: reading them requires the previous pass. */
const worthwhile = 0.8;

/** Stores the initial weights of passes, or only the changes since the previous pass if these are smaller. */
export class WeightsWriter {
  readonly #store: TrainingStore;
  readonly #run: string;
  #last: { readonly pass: number; readonly planes: MixedPlanes } | undefined;

  constructor(store: TrainingStore, run: string) {
    this.#store = store;
    this.#run = run;
  }

  /** Stores the initial weights of a pass; returns the number of bytes stored. */
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

/** Reads the initial weights of passes, and keeps the newest, to which later changes apply. */
export class WeightsReader {
  readonly #store: TrainingStore;
  readonly #run: string;
  /** Creates all-zero initial weights. */
  readonly #zeros: () => MixedPlanes;
  #last: { readonly pass: number; readonly planes: MixedPlanes } | undefined;

  constructor(store: TrainingStore, run: string, empty: () => MixedPlanes) {
    this.#store = store;
    this.#run = run;
    this.#zeros = empty;
  }

  /** Returns the initial weights of a pass; undefined if they are missing, as when the run has ended. */
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
    // Changes them in place: they have no other owner, and an interrupted pass reads them again.
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
