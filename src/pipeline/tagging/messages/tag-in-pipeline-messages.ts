import { TagstreamError } from '../../../core/errors.js';
import type { MessageTarget } from '../../../plugins/transport-component.js';
import type { Pipeline } from '../../definition/pipeline.js';
import type { RunContext } from '../../definition/run-context.js';
import { transportSetting } from '../../definition/transport-setting.js';
import { sinkTarget } from '../../open-sink.js';
import type { RunResult, RunWithDeadLetters } from '../../setup/run-options.js';
import { onlyTags, PipelineTagger, pipelineFormat } from '../pipeline-tagger.js';
import { type PieceWriter, tagMessages } from './tag-messages.js';

/** Messages in flight where the pipeline sets no budget. */
const defaultBudget = 10_000;

/**
 * Runs a pipeline whose records come and go as messages, each message in a block: what is sent is the same as record by
 * record. Undefined, with nothing done, where its records have to be looked at one by one.
 *
 * @throws (rejects with) TagstreamError `config` where results are to be sent together that have to be looked at singly
 */
export async function tagInPipelineMessages(
  pipeline: Pipeline,
  context: RunContext,
  options: RunWithDeadLetters,
): Promise<Omit<RunResult, 'rejected'> | undefined> {
  const { component, options: chosen } = pipeline.source;
  const target = sinkTarget(pipeline);
  if (target === undefined || (target.takes ?? 'records') === 'records') return undefined;
  const together = target.takes === 'messages';
  const codec = component.codec(chosen);
  const isWhole = chosen.from !== undefined && onlyTags(pipeline, options);
  if (together && !isWhole) throw notTogether(pipeline, target);
  if (!isWhole || (!together && (options.status !== undefined || !codec.recordsAreLines))) return;
  const tagger = new PipelineTagger(pipeline, pipelineFormat(pipeline), context, options);
  const transport = component.transport!(chosen, transportSetting(context.paths, pipeline.trains))!;
  const openSome = transport.openSome!.bind(transport);
  const messages = () => transport.messages?.();
  const { deadLetters, status, signal = new AbortController().signal } = options;
  try {
    const writer = await target.write();
    try {
      status?.begin();
      const { records, ended } = await tagMessages({
        ...{ transport: { openSome, messages }, codec, together, deadLetters, signal, status },
        joins: () => codec.recordsAreLines && tagger.takesPlain,
        writer: writer as PieceWriter,
        budget: (chosen.budget as number | undefined) ?? defaultBudget,
        ...tagger.begin(),
      });
      return { sentencesSeen: 0, records, stopped: signal.aborted && !ended, reproducible: true };
    } finally {
      await writer.close?.();
    }
  } finally {
    tagger.end();
    await transport.close?.();
  }
}

function notTogether({ file }: Pipeline, { name }: MessageTarget): TagstreamError {
  return new TagstreamError(
    'config',
    `${name} sends what comes of a message together, but the run looks at its records one by one`,
    {
      place: { source: file },
      fix: 'let the records come by a transport (from), leave out limit, split, only and stages that do more than tag; or leave out together',
    },
  );
}
