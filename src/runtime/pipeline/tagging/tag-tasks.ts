import { readTaggingModel } from '../../../engine/models/files/model-file.js';
import { kernels } from '../../../engine/models/kernels.js';
import type { SetUpTasks } from '../../workers/serve-tasks.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import { MixedTagger } from './mixed-tagger.js';
import { requireTagger } from './reload/open-model.js';
import type { TaggedBlock, TaggingSetup, TaggingTask } from './tagging-run.js';

/** Tags blocks with the newest requested model, and keeps no other model. */
export const tagTasks: SetUpTasks<TaggingSetup, TaggingTask, TaggedBlock> = async setup => {
  const { modelFile, kernel, codec, options, tokenize, modules = [] } = setup;
  const plugins =
    modules.length === 0
      ? undefined
      : (await import('../plugins/plugin-parts.js')).partsOfModules(modules);
  const taggerOf = (bytes: SharedArrayBuffer, modelId: string | undefined) => {
    const model = readTaggingModel(
      new Uint8Array(bytes),
      modelFile,
      kernels[kernel],
      plugins?.functions,
    );
    requireTagger(model, modelFile);
    const tokenization = modelTokenizer(model, tokenize);
    const { sources } = plugins ?? {};
    return new MixedTagger(model, codec, { ...options, modelId }, { tokenization, sources });
  };
  let tagger = taggerOf(setup.modelBytes, options.modelId);
  let generation = 0;
  return async ({ model, room, ...block }) => {
    if (model !== undefined && model.generation !== generation) {
      tagger = taggerOf(model.bytes, model.modelId);
      generation = model.generation;
    }
    if (room !== undefined) tagger.reuse({ output: new Uint8Array(room) });
    const result = await tagger.tag(block);
    const { output, spent } = result;
    return { result, transfer: spent === undefined ? [output.buffer] : [output.buffer, spent] };
  };
};
