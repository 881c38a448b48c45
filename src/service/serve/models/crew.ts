import { versionId } from '../../../engine/interfaces/model-address.js';
import { readModelHeader } from '../../../engine/models/files/model-header.js';
import type { ModelSpec } from '../../../engine/models/model-spec.js';
import { contentDigest } from '../../../formats/files/node-parts.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { shared } from '../../../runtime/pipeline/tagging/reload/open-model.js';
import { threadFile } from '../../../runtime/thread-file.js';
import { WorkerPool } from '../../../runtime/workers/worker-pool.js';
import type { ModelLabels } from '../estimate-work.js';
import type { ServedBlock, ServedSetup, ServedTask } from '../threads/served-task.js';
import { Packer } from './packer.js';

/** Settings for all versions of a model. */
export interface CrewSettings extends Omit<ServedSetup, 'modelBytes' | 'modelFile' | 'modelId'> {
  /** Number of threads; long records have others, one fewer but at least one. */
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
  /** Number of labels, and of taggers one after the other. */
  readonly labels: ModelLabels;
  readonly #workers: Pool;
  readonly #setup: ServedSetup;
  /** Idle threads for long records, which start with the first of them. */
  readonly #idle: Pool[] = [];
  #users = 1;
  #ended: Promise<void> | undefined;

  /**
   * Reads a model file and starts its threads; resolves when all of them can tag.
   *
   * @throws (rejects with) TagstreamError `file`, `model-format`, `model-version`, `model-damaged`, `config`
   */
  static async start(file: string, { threads, ...settings }: CrewSettings): Promise<Crew> {
    const bytes = readBytes(file);
    const header = readModelHeader(bytes, file);
    const digest = contentDigest([bytes]);
    const modelId = versionId(digest);
    const setup = { ...settings, modelBytes: shared(bytes), modelFile: file, modelId };
    const workers = await startPool(setup, threads);
    const { labels: names, bundle } = header;
    const labels = { count: names.length, taggers: 1 + (bundle?.layers.length ?? 0) };
    return new Crew(workers, setup, { digest, version: modelId, spec: header.spec, labels });
  }

  private constructor(
    workers: Pool,
    setup: ServedSetup,
    { digest, version, spec, labels }: Pick<Crew, 'digest' | 'version' | 'spec' | 'labels'>,
  ) {
    this.digest = digest;
    this.version = version;
    this.spec = spec;
    this.labels = labels;
    this.#workers = workers;
    this.#setup = setup;
    this.packer = new Packer(task => workers.run(task), workers.size, {
      threads: Math.max(1, workers.size - 1),
      tag: (task, signal, onBegin) => this.#tagLong(task, signal, onBegin),
    });
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
    if (this.#users > 0) return;
    const pools = [this.#workers, ...this.#idle];
    void Promise.all(pools.map(pool => pool.close())).then(this.#onLast);
  }

  /**
   * Tags a block in a thread for long records. If its signal is aborted because the client is gone, the thread
   * ends, and another one starts with the next long record.
   */
  async #tagLong(task: ServedTask, signal: AbortSignal, onBegin: () => void): Promise<ServedBlock> {
    let pool = this.#idle.pop();
    if (pool === undefined || pool.signal.aborted) {
      pool = await startPool({ ...this.#setup, isForLong: true }, 1);
    }
    const used = pool;
    const end = () => void used.close();
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      onBegin();
      return await used.run(task);
    } finally {
      signal.removeEventListener('abort', end);
      if (this.#users === 0) end();
      else if (!used.signal.aborted) this.#idle.push(used);
    }
  }
}

type Pool = WorkerPool<ServedSetup, ServedTask, ServedBlock>;

/** @throws (rejects with) the error of a thread's setup */
async function startPool(setup: ServedSetup, size: number): Promise<Pool> {
  const program = threadFile('service/serve/threads/serve-worker');
  // Waiting requests stay in the packer.
  const pool: Pool = new WorkerPool(program, { size, inHand: 1 });
  try {
    await pool.setUp(setup);
    return pool;
  } catch (error) {
    await pool.close();
    throw error;
  }
}
