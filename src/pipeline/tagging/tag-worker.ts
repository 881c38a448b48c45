import { kernels } from '../../models/kernels.js';
import { readModel } from '../../models/model-file.js';
import { serveTasks } from '../../workers/serve-tasks.js';
import type { BlockTask } from '../blocks/block-task.js';
import { codecOf } from '../codec-of.js';
import { BlockTagger } from './block-tagger.js';
import type { TaggedBlock, TaggingSetup } from './tagging-task.js';

// The module of a worker that tags blocks.
serveTasks<TaggingSetup, BlockTask, TaggedBlock>(
  ({ modelBytes, modelFile, kernel, codec, options }) => {
    const model = readModel(new Uint8Array(modelBytes), modelFile, kernels[kernel]);
    const tagger = new BlockTagger(model, codecOf(codec), options);
    return async task => {
      const result = await tagger.tag(task);
      return { result, transfer: [result.output.buffer] };
    };
  },
);
