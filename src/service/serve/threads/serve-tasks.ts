import { TagstreamError } from '../../../engine/core/errors.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { readTaggingModel } from '../../../engine/models/files/model-file.js';
import { kernels } from '../../../engine/models/kernels.js';
import type { Model } from '../../../engine/models/model.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { TaggedPage } from '../../../reports/tagged/tagged-page.js';
import type { BlockTask } from '../../../runtime/pipeline/blocks/block-task.js';
import { codecOf } from '../../../runtime/pipeline/catalogue/codec-of.js';
import { modelTokenizer } from '../../../runtime/pipeline/stages/chosen-tokenizer.js';
import { BlockTagger } from '../../../runtime/pipeline/tagging/block-tagger.js';
import { MixedTagger } from '../../../runtime/pipeline/tagging/mixed-tagger.js';
import { requireTagger } from '../../../runtime/pipeline/tagging/reload/open-model.js';
import type { TaggingOptions } from '../../../runtime/pipeline/tagging/tagging-options.js';
import type { TaggedBlock } from '../../../runtime/pipeline/tagging/tagging-run.js';
import { giveWay, type SetUpTasks } from '../../../runtime/workers/serve-tasks.js';
import { explainedRecord } from './explained-record.js';
import type { ServedBlock, ServedSetup, ServedTask, ServedWish } from './served-task.js';

/** Number of wishes whose taggers a thread keeps: each has its own tables. */
const keptTaggers = 8;

type Tag = (task: BlockTask) => Promise<TaggedBlock>;

/** Tags blocks of records according to their wish, with one model; taggers of recent wishes are kept. */
export const serveTasks: SetUpTasks<ServedSetup, ServedTask, ServedBlock> = async setup => {
  const { modelBytes, modelFile, kernel, modules = [], isForLong = false } = setup;
  if (isForLong) giveWay(10);
  const plugins =
    modules.length === 0
      ? undefined
      : (await import('../../../runtime/pipeline/plugins/plugin-parts.js')).partsOfModules(modules);
  const bytes = new Uint8Array(modelBytes);
  const model = readTaggingModel(bytes, modelFile, kernels[kernel], plugins?.functions);
  requireTagger(model, modelFile);
  const taggers = new Map<string, Tag>();
  const taggerOf = (wish: ServedWish): Tag => {
    const kept = taggers.get(wish.key);
    const tag = kept ?? tagWith(model, setup, wish);
    // In the order of last use.
    taggers.delete(wish.key);
    taggers.set(wish.key, tag);
    if (taggers.size > keptTaggers) taggers.delete(taggers.keys().next().value!);
    return tag;
  };
  return async ({ wish, bytes, offset = 0 }) => {
    const task = { source: 'request', block: { bytes, offset, line: 1 } };
    const { output, read, bad } = await taggerOf(wish)(task);
    return {
      result: { output, read, bad: bad.map(({ number, error }) => ({ number, error })) },
      transfer: [output.buffer],
    };
  };
};

/** @throws TagstreamError `config` if the model cannot fulfil the wish */
function tagWith(model: Model, setup: ServedSetup, wish: ServedWish): Tag {
  const { modelFile, modelId, always, maxLineBytes, maxTokens } = setup;
  const { form, fields, modelVersion, dictionary } = wish;
  const options: TaggingOptions = {
    ...wish.options,
    ...always,
    ...(dictionary === false ? { dictionary } : {}),
    ...(modelVersion ? { modelId } : {}),
    // Each record is one line, so that answers can be matched to lines.
    ...(form === 'records' ? { passing: { policy: 'pass' } } : {}),
  };
  const { input } = model.spec;
  // Records are read like the model's training data, as in `tag`.
  const own = input?.codec === 'ndjson' ? (input.options as Readonly<Record<string, unknown>>) : {};
  const codec = { name: 'ndjson', options: { ...own, ...fields, maxLineBytes, maxTokens } };
  const tokenization = modelTokenizer(model);
  switch (form) {
    case 'records': {
      const tagger = new MixedTagger(model, codec, options, { tokenization });
      return task => tagger.tag(task);
    }
    case 'html':
      return task => taggedPage(task, { model, modelFile, codec: codecOf(codec), options });
    case 'explanation': {
      // A model that cannot be explained is not the record's fault.
      let refusal: TagstreamError | undefined;
      const explain = (tagged: TaggedDocument) => {
        try {
          return `${JSON.stringify(explainedRecord(model, tagged, options.rules))}\n`;
        } catch (thrown) {
          if (thrown instanceof TagstreamError && thrown.code === 'config') refusal = thrown;
          throw thrown;
        }
      };
      const tagger = new BlockTagger(
        model,
        writing(codecOf(codec), explain),
        options,
        tokenization,
      );
      return async task => {
        const tagged = await tagger.tag(task);
        if (refusal !== undefined) throw refusal;
        return tagged;
      };
    }
    default: {
      const tag = input?.codec === form ? (input.options as { tag?: string }).tag : undefined;
      const columns = tag === undefined ? {} : { tag };
      const written = codecOf({ ...codec, to: { name: form, options: columns } });
      const tagger = new BlockTagger(model, written, options, tokenization);
      return task => tagger.tag(task);
    }
  }
}

/** Returns a codec that reads like another one, but writes differently. */
function writing(codec: Codec, write: (tagged: TaggedDocument) => string): Codec {
  const { forTagging: _, ...reading } = codec.forTagging?.() ?? codec;
  return { ...reading, write };
}

interface PageParts {
  readonly model: Model;
  readonly modelFile: string;
  readonly codec: Codec;
  readonly options: TaggingOptions;
}

/** Returns records as a page of highlighted text. */
async function taggedPage(
  task: BlockTask,
  { model, modelFile, codec, options }: PageParts,
): Promise<TaggedBlock> {
  const spans = isSpanScheme(model.scheme);
  const page = new TaggedPage({ model: modelFile, labels: model.labels.tags, spans });
  const written = writing(codec, tagged => page.write(tagged));
  const tagger = new BlockTagger(model, written, options, modelTokenizer(model));
  const tagged = await tagger.tag(task);
  const pieces = [Buffer.from(page.head), tagged.output, Buffer.from(page.tail)];
  const output = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    output.set(piece, at);
    at += piece.length;
  }
  return { ...tagged, output };
}
