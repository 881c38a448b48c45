import { TagstreamError, thrownMessage } from '../../../../engine/core/errors.js';
import { packMinibatch } from '../../../../engine/core/minibatch/pack-minibatch.js';
import type { TokenFunctions } from '../../../../engine/features/template/token-function.js';
import type { PluginModule } from '../../../../engine/interfaces/loaded-plugin.js';
import type { Kernel } from '../../../../engine/kernels/kernel.js';
import type { Decoded } from '../../../../engine/models/decoding/decoded.js';
import { Decoder } from '../../../../engine/models/decoding/decoder.js';
import { readTaggingModel } from '../../../../engine/models/files/model-file.js';
import { readModelHeader } from '../../../../engine/models/files/model-header.js';
import { defaultKernel } from '../../../../engine/models/kernels.js';
import type { Model } from '../../../../engine/models/model.js';
import type { ModelSpec } from '../../../../engine/models/model-spec.js';
import { type ModelFiles, readModelBytes } from '../../../io/read-model-bytes.js';

/** A model file, and how to read it. */
export interface ModelPlace extends ModelFiles {
  readonly kernel?: Kernel | undefined;
  /** Token functions of plug-ins. */
  readonly functions?: TokenFunctions | undefined;
  /** Returns the modules from which other threads load the plug-ins; called if there are such threads. */
  readonly modules?: (() => readonly PluginModule[]) | undefined;
}

/** A model file that was read as a whole. */
export interface ReadTagger {
  readonly bytes: Uint8Array;
  readonly model: Model;
}

/**
 * Reads a model file synchronously, and checks that it is whole and can tag.
 *
 * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`
 */
export function readTagger(place: ModelPlace): ReadTagger {
  const bytes = readModelBytes(place);
  return { bytes, model: taggerIn(bytes, place) };
}

function taggerIn(
  bytes: Uint8Array,
  { file, kernel = defaultKernel, functions }: ModelPlace,
): Model {
  const model = readTaggingModel(bytes, file, kernel, functions);
  requireTagger(model, file);
  return model;
}

/** A run's initial model, and its file, which may be replaced. */
export class OpenModel {
  readonly place: ModelPlace;
  readonly spec: ModelSpec;
  /** Whether further taggers follow the model. */
  readonly isBundle: boolean;
  #bytes: Uint8Array | undefined;
  #model: Model | undefined;

  /**
   * @param isShared whether other threads read the bytes: they are then in shared memory, and this thread only reads
   *   the header until `model` is requested
   * @throws TagstreamError like `readTagger`
   */
  constructor(place: ModelPlace, isShared = false) {
    const bytes = readModelBytes(place);
    this.place = place;
    this.#bytes = isShared ? new Uint8Array(shared(bytes)) : bytes;
    const { spec, bundle } = isShared ? readModelHeader(bytes, place.file) : this.model;
    this.spec = spec;
    this.isBundle = bundle !== undefined;
  }

  /** The first model, until it is taken. */
  get model(): Model {
    this.#model ??= taggerIn(this.#bytes!, this.place);
    return this.#model;
  }

  /** The bytes of the first model, until it is taken. */
  get bytes(): Uint8Array {
    return this.#bytes!;
  }

  /** Hands over the first model; may be called once. Afterwards this object does not keep it in memory. */
  take(): ReadTagger {
    const taken = { bytes: this.bytes, model: this.model };
    this.leave();
    return taken;
  }

  /** Discards the first model. */
  leave(): void {
    this.#bytes = undefined;
    this.#model = undefined;
  }
}

/** Returns shared memory with a copy of the bytes. */
export function shared(bytes: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

/**
 * Checks that a model reads a format like the previous model. Options of the format, such as the columns of CoNLL, come
 * from a model trained on it, and cannot change mid-stream.
 *
 * @param format name of the current format
 * @param source name of the model's file, for errors
 * @throws TagstreamError `config` if the options differ
 */
export function requireSameInput(
  format: string,
  before: ModelSpec,
  now: ModelSpec,
  source: string,
): void {
  const [was, is] = [before, now].map(({ input }) =>
    JSON.stringify(input?.codec === format ? input.options : {}),
  );
  if (was === is) return;
  throw new TagstreamError('config', `the model reads ${format} as ${is}, the old one as ${was}`, {
    place: { source },
    fix: 'start a new tagging run with it',
  });
}

/** A number, so that numeric columns accept it too. */
const tokens: readonly string[] = ['0', '0'];

/**
 * Checks that a model can tag: it has labels, and can tag a sentence of two tokens.
 *
 * Does not modify the model. The cost is negligible compared with reading it.
 *
 * @param source name of the model's file, for errors
 * @throws TagstreamError `model-damaged` if it cannot
 */
export function requireTagger(model: Model, source: string): void {
  const { size } = model.labels;
  if (size === 0) throw useless(source, 'it has no label');
  const { labels, scores } = tagged(model, source);
  if (!Number.isFinite(scores[0])) throw useless(source, `the score of a sentence is ${scores[0]}`);
  const wrong = labels.find(label => label < 0 || label >= size);
  if (wrong !== undefined) throw useless(source, `a token gets label ${wrong} of ${size}`);
}

function tagged(model: Model, source: string): Decoded {
  // Templates may also look up columns by unnumbered names.
  const asked = model.extractor.plan.atoms.map(({ column }) => column);
  const names = [...model.spec.columns, ...asked];
  const columns = Object.fromEntries(names.map(name => [name, tokens]));
  const part = { index: 0, count: 1, start: 0 };
  try {
    const encoded = model.encodeKnown({ tokens, columns, document: { tokens, columns }, part });
    return new Decoder(model.kernel).decode(model.parameters, packMinibatch([encoded]));
  } catch (cause) {
    throw useless(source, thrownMessage(cause), cause);
  }
}

function useless(source: string, reason: string, cause?: unknown): TagstreamError {
  return new TagstreamError('model-damaged', `the model cannot tag: ${reason}`, {
    place: { source },
    fix: 'copy the file again, or retrain the model',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Callbacks for reloads. */
export interface ReloadEvents<Value> {
  /** Called when a new value has replaced the old one. */
  readonly onReloaded?: ((value: Value) => void) | undefined;
  /** Called when a new value is bad, and the old one stays. */
  readonly onKept?: ((error: unknown) => void) | undefined;
}

/**
 * A value that is rebuilt on request, such as a model from its file. If that fails, the old value stays. Only the
 * newest value is referenced.
 *
 * @example
 * let count = 0;
 * const numbers = new Reloadable(count, () => (count += 1));
 * numbers.reload();
 * numbers.current // => 1
 */
export class Reloadable<Value> {
  readonly #make: () => Value;
  readonly #events: ReloadEvents<Value>;
  readonly #listeners = new Set<(value: Value) => void>();
  #current: Value;

  constructor(first: Value, make: () => Value, events: ReloadEvents<Value> = {}) {
    this.#make = make;
    this.#events = events;
    this.#current = first;
  }

  get current(): Value {
    return this.#current;
  }

  /** Registers a listener for replacements. Returns a function that removes it. */
  onNew(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rebuilds the value. Does not throw errors of `make`, but reports them. */
  reload(): void {
    let value: Value;
    try {
      value = this.#make();
    } catch (thrown) {
      this.#events.onKept?.(thrown);
      return;
    }
    this.#events.onReloaded?.(value);
    this.#current = value;
    for (const listener of this.#listeners) listener(value);
  }
}
