import { TagstreamError } from '../../../engine/core/errors.js';
import { isModelAddress, modelAddress } from '../../../engine/interfaces/model-address.js';
import { type FileWatch, watchFile } from '../../../formats/reading/watch-file.js';
import type { RegistryChoice } from '../../../runtime/pipeline/setup/run-options.js';
import type { RegisteredModel } from '../../../runtime/pipeline/tagging/registered/registered-model.js';
import { Crew, type CrewSettings } from './crew.js';

/** Callbacks for changes of the models of a service. */
export interface ModelEvents {
  /** A version of a model answers from now on. */
  readonly onVersion?: ((model: string, version: string) => void) | undefined;
  /** A new version was rejected, and the old one stays. */
  readonly onKept?: ((model: string, error: unknown) => void) | undefined;
  /** A thread has died, and is replaced. */
  readonly onDeath?: ((model: string, error: unknown) => void) | undefined;
}

/** How a model is served. */
export interface ServedModelOptions {
  readonly crew: CrewSettings;
  /** Whether the file is reloaded when it is replaced. */
  readonly watch: boolean;
  readonly registry: RegistryChoice;
  readonly events: ModelEvents;
}

/** Initial and maximum delay in milliseconds before dead threads are restarted. */
const pauses = { first: 100, most: 10_000 };

/** A model by its name: the version that answers now, and the replacement of versions. */
export class ServedModel {
  readonly name: string;
  /** The file, or the address in a registry. */
  readonly source: string;
  readonly #options: ServedModelOptions;
  readonly #registered: RegisteredModel | undefined;
  readonly #file: string;
  #crew: Crew;
  #watching: FileWatch | undefined;
  #changing: Promise<unknown> = Promise.resolve();
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;
  /** Number of versions that have answered, including the present one. */
  versions = 1;

  /** @throws (rejects with) TagstreamError as `Crew.start`; `usage`, `connection` for a model of a registry */
  static async open(
    name: string,
    source: string,
    options: ServedModelOptions,
  ): Promise<ServedModel> {
    if (!isModelAddress(source)) {
      return new ServedModel({ name, source, file: source }, await started(source), options);
    }
    modelAddress(source);
    const { openRegisteredModel } = await import(
      '../../../runtime/pipeline/tagging/registered/registered-model.js'
    );
    const registered = await openRegisteredModel(source, options.registry);
    try {
      const { file } = registered;
      const crew = await started(file);
      return new ServedModel({ name, source, file, registered }, crew, options);
    } catch (error) {
      await registered.close();
      throw error;
    }

    function started(file: string): Promise<Crew> {
      return Crew.start(file, options.crew);
    }
  }

  private constructor(
    {
      name,
      source,
      file,
      registered,
    }: Pick<ServedModel, 'name' | 'source'> & {
      readonly file: string;
      readonly registered?: RegisteredModel;
    },
    crew: Crew,
    options: ServedModelOptions,
  ) {
    this.name = name;
    this.source = source;
    this.#file = file;
    this.#options = options;
    this.#registered = registered;
    this.#crew = crew;
    this.#take(crew);
    const reload = () => void this.reload().catch(() => undefined);
    if (registered !== undefined) {
      registered.follow({
        onChange: reload,
        onRefused: error => options.events.onKept?.(name, error),
      });
    } else if (options.watch) this.#watching = watchFile(file, { onReplaced: reload });
  }

  /** The version that answers now. */
  get crew(): Crew {
    return this.#crew;
  }

  /** Whether its threads are alive. */
  get isReady(): boolean {
    return !this.#crew.signal.aborted;
  }

  /**
   * Reads the file again and starts threads with it; resolves when they answer. Until then the old threads answer; they
   * also finish the requests that they have.
   *
   * @throws (rejects with) TagstreamError as `Crew.start`; the old version then stays
   */
  reload(): Promise<void> {
    const changed = this.#changing.then(() => this.#change());
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #change(): Promise<void> {
    if (this.#isClosed) throw new TagstreamError('worker', 'the service is closed');
    let crew: Crew;
    try {
      crew = await Crew.start(this.#file, this.#options.crew);
    } catch (error) {
      this.#options.events.onKept?.(this.name, error);
      throw error;
    }
    const old = this.#crew;
    // The new one first: threads that are ended must not be mistaken for dead ones.
    this.#crew = crew;
    this.versions += 1;
    this.#take(crew);
    this.#retire(old);
  }

  #retire(crew: Crew): void {
    const left = crew.retire();
    this.#leaving.add(left);
    void left.finally(() => this.#leaving.delete(left));
  }

  #take(crew: Crew): void {
    this.#options.events.onVersion?.(this.name, crew.version);
    crew.signal.addEventListener('abort', () => this.#replaceDead(crew, pauses.first), {
      once: true,
    });
  }

  #replaceDead(crew: Crew, pause: number): void {
    if (this.#isClosed || crew !== this.#crew) return;
    this.#options.events.onDeath?.(this.name, crew.signal.reason);
    const timer = setTimeout(() => {
      if (crew !== this.#crew) return;
      this.reload().catch(() => this.#replaceDead(crew, Math.min(2 * pause, pauses.most)));
    }, pause);
    timer.unref();
  }

  /** Ends all threads once their requests are answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watching?.close();
    await this.#registered?.close();
    await this.#changing;
    this.#retire(this.#crew);
    await Promise.all(this.#leaving);
  }
}
