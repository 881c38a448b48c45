import { statSync } from 'node:fs';
import type { Observable } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { structureOf } from '../../inference/structures/structures.js';
import type { InputStream } from '../../io/reading/input-stream.js';
import type { Model } from '../../models/model.js';
import { threadFile } from '../../workers/thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import type { RunContext } from '../definition/run-context.js';
import type { TrainPlan } from '../plan/plan.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import type { SentenceReading } from '../setup/read-sentences.js';
import { filesOf, selects } from '../sources/common-options.js';
import { extractHere } from './extract-here.js';
import { type ExtractionPool, extractInWorkers } from './extract-in-workers.js';
import type { ReadingReport } from './report-block.js';

/** What a run says about its input. */
interface InputOptions extends ReadingReport {
  readonly stdin?: InputStream | undefined;
  readonly sharedReading?: number | undefined;
  readonly limit?: number | undefined;
}

/** What the corpus is encoded for. */
interface EncodedReading {
  readonly model: Model;
  readonly reading: Pick<SentenceReading, 'tokenizer'>;
}

/** Below this many bytes workers take longer to start than the corpus to be read. */
const defaultSharedReading = 2 ** 24;

/**
 * The encoded corpus of a pipeline that goes over it in passes, read in blocks: by the workers where there are several
 * and it is long, who start at once, else in this thread. Undefined where it has to be read record by record.
 */
export function encodedCorpus(
  plan: TrainPlan,
  { model, reading: { tokenizer } }: EncodedReading,
  { paths, catalogue, scope }: Pick<RunContext, 'paths' | 'catalogue' | 'scope'>,
  given: InputOptions,
): Observable<EncodedSentence> | undefined {
  const { deadLetters, onBlank, status, stdin, sharedReading = defaultSharedReading } = given;
  const { source, features, tokenize, train } = plan;
  const { component, options } = source;
  const { workers } = train.options;
  if (component.generated !== undefined) return undefined;
  // Both count the records of the whole input.
  if (selects(options) || given.limit !== undefined) return undefined;
  if (options.from !== undefined || !canJoin(model)) return undefined;
  // Only labelled sentences are taken from blocks.
  if (features.options.unlabelled !== undefined) return undefined;
  const files = filesOf(options).map(file => paths.resolve(file));
  const chosen = {
    name: component.name,
    options: component.codecOptions(options),
    replay: component.replays,
  };
  const codec = component.codec(options);
  const input = { files, codec, model, stdin, deadLetters, onBlank, status };
  if (workers === 1 || bytesOf(files) < sharedReading) {
    return extractHere({ ...input, chosen, tokenizer });
  }
  const pool: ExtractionPool = new WorkerPool(threadFile('pipeline/extraction/extract-worker'), {
    size: workers,
  });
  scope.defer(() => pool.close());
  // Workers load the functions of plug-ins themselves.
  const { functions: _, ...spec } = model.spec;
  return extractInWorkers({
    ...input,
    pool,
    setup: {
      spec,
      modules: modulesForThreads(catalogue.plugins),
      codec: chosen,
      tokenize: tokenize?.options,
    },
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
 * have more numbers than workers know of, as have structures other labels and rows than a chain. What was before in a
 * document, and what a corpus says of words, is known to nobody but who reads all of it.
 */
function canJoin({ frozen, spec, extractor }: Model): boolean {
  const { index, dictionary, hidden, encode } = spec;
  const whole = index.mode === 'exact' && (index.cutoff > 1 || index.information !== undefined);
  const more = [dictionary, hidden, encode].some(is => is !== undefined) || extractor.readsContext;
  return !frozen && !whole && !more && structureOf(spec).name === 'chain';
}
