import { TagstreamError } from '../../../engine/core/errors.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import { defaultKernel, type KernelName, kernels } from '../../../engine/models/kernels.js';
import type { Block } from '../../io/blocks/block-cutter.js';
import type { BlockTask } from '../blocks/block-task.js';
import { type BlocksInWorkers, blocksInWorkers } from '../blocks/blocks-in-workers.js';
import { blockProgress } from './progress/block-progress.js';
import { shared } from './reload/open-model.js';
import { startTaggingPool } from './start-tagging-pool.js';
import type { TaggingOptions } from './tagging-options.js';
import type {
  NewModel,
  TaggedBlock,
  TaggingHooks,
  TaggingRun,
  TaggingSetup,
  TaggingTask,
  TaggingWay,
} from './tagging-run.js';
import { type TaggedBlockSink, writeTaggedBlocks } from './write-tagged-blocks.js';

export interface TagInWorkersOptions
  extends Omit<BlocksInWorkers<TaggingSetup, TaggedBlock, TaggingTask>, 'taskOf'>,
    Omit<TaggedBlockSink, 'codec'> {
  /** Its abort ends the input; blocks already read are still tagged and written. */
  readonly signal: AbortSignal;
  /** Whether the output no longer needs written bytes, whose memory can then be reused. */
  readonly reusesMemory?: boolean | undefined;
  /** Returns the model for blocks read from now on, if it is no longer that of the setup. */
  readonly newModel?: (() => NewModel | undefined) | undefined;
}

/**
 * Tags files in worker threads, and writes the results in the order of the input: the output is byte for byte that of
 * one thread. Commits the output at the end.
 *
 * @returns the number of records written, and whether the input was read to its end
 * @throws (rejects with) TagstreamError `file` if reading or writing fails, a bad record's error if the dead letters
 * throw it, `worker` if a worker dies, or `model-...` for the model; the standard output then contains everything
 * before it, whereas a file is not kept
 */
export async function tagInWorkers(
  options: TagInWorkersOptions,
): Promise<{ records: number; ended: boolean }> {
  const { signal, newModel, progress } = options;
  const begun: ((records: number) => void)[] = [];
  const written: ArrayBuffer[] = [];
  const taskOf = (task: BlockTask, block: Block): TaggingTask => {
    if (progress !== undefined) begun.push(progress.begin(task.source, block));
    return { ...task, model: newModel?.(), room: written.pop() };
  };
  const resumeAfter = progress?.resumeAfter;
  return writeTaggedBlocks(options, to =>
    blocksInWorkers({ ...options, taskOf, spare: to.spare, resumeAfter }, signal, async outcome => {
      if (outcome.kind === 'bad') {
        await to.reject(outcome.bad);
        return;
      }
      await to.write(outcome.result, begun.shift());
      if (options.reusesMemory === true) written.push(outcome.result.output.buffer);
    }),
  );
}

/** Tags blocks in several threads, each of which only needs plain data, and the model's file in shared memory. */
export function threadsWay(
  run: TaggingRun,
  { onEnd, onBelow, onTextless }: TaggingHooks,
): TaggingWay<NewModel> {
  const { source, model, tokenize, deadLetters, signal, status, sink, onBlank } = run;
  const { files, codec, format, stdin } = source;
  const { file: modelFile, kernel, modules } = model.place;
  const kernelName = nameOf(kernel ?? defaultKernel);
  const plugins = modules?.() ?? [];
  const pool = run.pool ?? startTaggingPool(run.workers);
  let generation = 0;
  let chosen: TaggingOptions;
  return {
    makeFirst(bytes, options) {
      chosen = options;
      return { generation, bytes: bytes.buffer as SharedArrayBuffer, modelId: options.modelId };
    },
    make({ bytes }, { modelId }) {
      generation += 1;
      return { generation, bytes: shared(bytes), modelId };
    },
    tag: (newest, { output, progress }) =>
      tagInWorkers({
        ...{ files, codec, stdin, pool, output, deadLetters, signal, status },
        setup: {
          ...{ modelBytes: newest.current.bytes, modelFile, kernel: kernelName },
          ...{ codec: format, options: chosen, tokenize, modules: plugins },
        },
        newModel: () => (newest.current.generation === 0 ? undefined : newest.current),
        reusesMemory: sink.holdsWritten !== true,
        ...{ onBelow, onTextless, onBlank, onEnd },
        onReady: () => status?.begin(),
        progress: progress && blockProgress(progress),
      }),
    close: () => (run.pool === undefined ? pool.close() : undefined),
  };
}

/**
 * Returns the name by which other threads find a kernel.
 *
 * @throws TagstreamError `config` for a custom kernel
 */
function nameOf(kernel: Kernel): KernelName {
  const names = Object.keys(kernels) as KernelName[];
  const name = names.find(each => kernels[each] === kernel);
  if (name !== undefined) return name;
  throw new TagstreamError('config', 'several threads need a built-in kernel', {
    fix: `use one of ${names.join(', ')}, or tag in one thread`,
  });
}
