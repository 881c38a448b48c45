import { TagstreamError } from '../../../core/errors.js';
import type { TokenFunctions } from '../../../features/template/token-function.js';
import { readBytes } from '../../../io/reading/read-bytes.js';
import type { Kernel } from '../../../kernels/kernel.js';
import { readTaggingModel } from '../../../models/files/model-file.js';
import { readModelHeader } from '../../../models/files/model-header.js';
import { defaultKernel } from '../../../models/kernels.js';
import type { Model } from '../../../models/model.js';
import type { ModelSpec } from '../../../models/model-spec.js';
import type { PluginModule } from '../../../plugins/loaded-plugin.js';
import { requireTagger } from './require-tagger.js';

/** A model file, and what it is read with. */
export interface ModelPlace {
  readonly file: string;
  readonly kernel?: Kernel | undefined;
  /** Token functions of plug-ins. */
  readonly functions?: TokenFunctions | undefined;
  /** Where other threads load the plug-ins from; called where there are such threads. */
  readonly modules?: (() => readonly PluginModule[]) | undefined;
}

/** A model file that was read whole. */
export interface ReadTagger {
  readonly bytes: Uint8Array;
  readonly model: Model;
}

/**
 * Reads a model file, synchronously, and makes sure that it is whole and can tag.
 *
 * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`
 */
export function readTagger({ file, kernel = defaultKernel, functions }: ModelPlace): ReadTagger {
  const bytes = readBytes(file);
  return { bytes, model: taggerIn(bytes, { file, kernel, functions }) };
}

function taggerIn(bytes: Uint8Array, { file, kernel, functions }: ModelPlace): Model {
  const model = readTaggingModel(bytes, file, kernel, functions);
  requireTagger(model, file);
  return model;
}

/** The model that a run begins with, and its file, which may be replaced by another. */
export class OpenModel {
  readonly place: ModelPlace;
  readonly spec: ModelSpec;
  #bytes: Uint8Array | undefined;
  #model: Model | undefined;

  /**
   * @param isShared whether other threads read the bytes: they are in shared memory then, and of them nothing but the
   *   header is read here, until `model` is asked for
   * @throws TagstreamError as `readTagger`
   */
  constructor(place: ModelPlace, isShared = false) {
    const bytes = readBytes(place.file);
    this.place = place;
    this.#bytes = isShared ? new Uint8Array(shared(bytes)) : bytes;
    if (isShared) this.spec = readModelHeader(bytes, place.file).spec;
    else this.spec = this.model.spec;
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

  /** To be called once: nothing here holds on to the first model then, and it can leave memory. */
  take(): ReadTagger {
    const taken = { bytes: this.bytes, model: this.model };
    this.leave();
    return taken;
  }

  /** Forgets the first model. */
  leave(): void {
    this.#bytes = undefined;
    this.#model = undefined;
  }
}

/** Memory that threads share, with a copy of bytes in it. */
export function shared(bytes: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

/**
 * Makes sure that a model reads a format as the model before it does. Options of the format, as the
 * columns of CoNLL, are taken from a model that was trained on it, and cannot change in mid-stream.
 *
 * @param format name of the format that is being read
 * @param source name of the model's file, for errors
 * @throws TagstreamError `config` if the options are others
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
