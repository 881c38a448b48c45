import { contentDigest } from '../../io/files/node-parts.js';
import { versionId } from '../../io/nats/registry/model-address.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { readModelHeader } from '../../models/files/model-header.js';
import type { ModelSpec } from '../../models/model-spec.js';
import { shared } from '../../pipeline/tagging/reload/open-model.js';
import { threadFile } from '../../workers/thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import type { ServedBlock, ServedSetup, ServedTask } from '../threads/served-task.js';
import { Packer } from './packer.js';

/** Settings for all versions of a model. */
export interface CrewSettings extends Omit<ServedSetup, 'modelBytes' | 'modelFile' | 'modelId'> {
  readonly threads: number;
}

/** One version of a model, and the threads that tag with it. Ends with its last request once it is retired. */
export class Crew {
  /** `sha256:` and digits: the digest of the file. */
  readonly digest: string;
  /** Short form of the digest, as in records. */
  readonly version: string;
  readonly spec: ModelSpec;
  readonly packer: Packer;
  readonly #workers: WorkerPool<ServedSetup, ServedTask, ServedBlock>;
  #users = 1;
  #ended: Promise<void> | undefined;

  /**
   * Reads a model file and starts its threads; resolves when all of them can tag.
   *
   * @throws (rejects with) TagstreamError `file`, `model-format`, `model-version`, `model-damaged`, `config`
   */
  static async start(file: string, { threads, ...settings }: CrewSettings): Promise<Crew> {
    const bytes = readBytes(file);
    const { spec } = readModelHeader(bytes, file);
    const digest = contentDigest([bytes]);
    const modelId = versionId(digest);
    const program = threadFile('serve/threads/serve-worker');
    const workers = new WorkerPool<ServedSetup, ServedTask, ServedBlock>(program, {
      size: threads,
      // Waiting requests stay in the packer.
      inHand: 1,
    });
    try {
      await workers.setUp({ ...settings, modelBytes: shared(bytes), modelFile: file, modelId });
    } catch (error) {
      await workers.close();
      throw error;
    }
    return new Crew(workers, { digest, version: modelId, spec, threads });
  }

  private constructor(
    workers: WorkerPool<ServedSetup, ServedTask, ServedBlock>,
    {
      digest,
      version,
      spec,
      threads,
    }: Pick<Crew, 'digest' | 'version' | 'spec'> & { readonly threads: number },
  ) {
    this.digest = digest;
    this.version = version;
    this.spec = spec;
    this.#workers = workers;
    this.packer = new Packer(task => workers.run(task), threads);
  }

  /** Signal that is aborted, with the error as its reason, when a thread has died or all were ended. */
  get signal(): AbortSignal {
    return this.#workers.signal;
  }

  /** Holds the threads for a request. Returns a function that releases them. */
  hold(): () => void {
    this.#users += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave();
      isHeld = false;
    };
  }

  /** Ends the threads once the last request is answered, and resolves at that time. */
  retire(): Promise<void> {
    this.#ended ??= new Promise(resolve => {
      this.#onLast = resolve;
      this.#leave();
    });
    return this.#ended;
  }

  #onLast: () => void = () => undefined;

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0) void this.#workers.close().then(this.#onLast);
  }
}
