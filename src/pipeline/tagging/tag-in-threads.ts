import { TagstreamError } from '../../core/errors.js';
import type { Kernel } from '../../kernels/kernel.js';
import { defaultKernel, type KernelName, kernels } from '../../models/kernels.js';
import { blockProgress } from './progress/block-progress.js';
import { shared } from './reload/open-model.js';
import { startTaggingPool } from './start-tagging-pool.js';
import { tagInWorkers } from './tag-in-workers.js';
import type { TaggingOptions } from './tagging-options.js';
import type { TaggingHooks, TaggingRun, TaggingWay } from './tagging-run.js';
import type { NewModel } from './tagging-task.js';

/** Blocks, in several threads: what each of them needs is plain data, and the model's file in shared memory. */
export function threadsWay(
  run: TaggingRun,
  { onEnd, onBelow }: TaggingHooks,
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
        ...{ onBelow, onBlank, onEnd },
        onReady: () => status?.begin(),
        progress: progress && blockProgress(progress),
      }),
    close: () => (run.pool === undefined ? pool.close() : undefined),
  };
}

/**
 * The name of a kernel, by which other threads know it.
 *
 * @throws TagstreamError `config` for one of the caller's own
 */
function nameOf(kernel: Kernel): KernelName {
  const names = Object.keys(kernels) as KernelName[];
  const name = names.find(each => kernels[each] === kernel);
  if (name !== undefined) return name;
  throw new TagstreamError('config', 'several threads need a kernel of Tagstream', {
    fix: `use one of ${names.join(', ')}, or tag in one thread`,
  });
}
