import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Observable } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { RunStatus } from '../../core/run-status.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { Model } from '../../models/model.js';
import { threadFile } from '../../workers/thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunSetup } from '../definition/run-setup.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import { filesOf } from '../sources/common-options.js';
import type { TokenizeStageOptions } from '../stages/tokenize.js';
import { type ExtractionPool, extractInWorkers } from './extract-in-workers.js';

/** What a run says about its input. */
interface InputOptions {
  readonly deadLetters: DeadLetters;
  readonly onBlank?: (() => void) | undefined;
  readonly status?: RunStatus | undefined;
  readonly stdin?: Readable | undefined;
  readonly sharedReading?: number | undefined;
  readonly limit?: number | undefined;
}

/** Below this many bytes workers take longer to start than the corpus to be read. */
const defaultSharedReading = 2 ** 24;

/**
 * The encoded corpus of a pipeline that trains with several workers, who read it; they start at once.
 * Undefined where it has to be read in one thread.
 */
export function corpusInWorkers(
  pipeline: Pipeline,
  setup: RunSetup,
  {
    deadLetters,
    onBlank,
    status,
    stdin,
    limit,
    sharedReading = defaultSharedReading,
  }: InputOptions,
): Observable<EncodedSentence> | undefined {
  const { train, source } = pipeline;
  if (train?.epochs === undefined || train.workers === 1) return undefined;
  const { component, options } = source;
  // Both count the records of the whole input.
  if (options.split !== undefined || (options.limit ?? limit) !== undefined) return undefined;
  if (options.from !== undefined || !canJoin(setup.model)) return undefined;
  const files = filesOf(options).map(file => setup.path(file));
  if (bytesOf(files) < sharedReading) return undefined;
  const pool: ExtractionPool = new WorkerPool(threadFile('pipeline/extraction/extract-worker'), {
    size: train.workers,
  });
  setup.endings.push(() => pool.close());
  // Workers load the functions of plug-ins themselves.
  const { functions: _, ...spec } = setup.model.spec;
  return extractInWorkers({
    files,
    codec: component.codec(options),
    pool,
    setup: {
      spec,
      modules: modulesForThreads(setup.catalogue.plugins),
      codec: {
        name: component.name,
        options: component.codecOptions(options),
        replay: component.replays,
      },
      tokenize: setup.tokenizeOptions as TokenizeStageOptions | undefined,
    },
    ...{ model: setup.model, deadLetters, onBlank, status, stdin },
  });
}

/** Size of all files; endless where one is none, as the standard input. */
function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return sum + (stats?.isFile() === true ? stats.size : Number.POSITIVE_INFINITY);
  }, 0);
}

/**
 * Whether what workers find becomes part of the model as they find it: a frozen model, as that of a resumed
 * run, takes nothing new, and below a cutoff, or to be selected,
 * features have to be counted over the whole corpus, as the words of a dictionary always have. Labels with hidden states
 * or layers have other columns than workers know of.
 */
function canJoin({ frozen, spec: { index, dictionary, hidden, layers } }: Model): boolean {
  const whole = index.mode === 'exact' && (index.cutoff > 1 || index.information !== undefined);
  const plain = dictionary === undefined && hidden === undefined && layers === undefined;
  return !frozen && plain && !whole;
}
