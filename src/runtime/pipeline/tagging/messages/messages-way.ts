import type { MixedTagger } from '../mixed-tagger.js';
import { blockTaggerOf } from '../mixed-tagger.js';
import type { TaggingHooks, TaggingRun, TaggingWay } from '../tagging-run.js';
import { type PieceWriter, tagMessages } from './tag-messages.js';

/** Number of messages in flight if the run sets no budget. */
const defaultBudget = 10_000;

/**
 * Tags records that arrive and leave as messages, each message as a block, with the same output as record by record.
 */
export function messagesWay(
  run: TaggingRun,
  { onEnd, onBelow, onTextless }: TaggingHooks,
): TaggingWay<MixedTagger> {
  const { source, sink, deadLetters, signal, status, onBlank } = run;
  const { codec, budget } = source;
  const target = sink.target!;
  const transport = source.openTransport!();
  return {
    make: blockTaggerOf(run),
    async tag(newest) {
      const writer = await target.write();
      let last = newest.current;
      try {
        status?.begin();
        const { records, ended } = await tagMessages({
          transport: {
            openSome: transport.openSome!.bind(transport),
            messages: () => transport.messages?.(),
          },
          ...{ codec, together: target.takes === 'messages', deadLetters, signal, status },
          joins: () => codec.recordsAreLines && newest.current.takesPlain,
          writer: writer as PieceWriter,
          budget: budget?.items ?? defaultBudget,
          tag: task => {
            last = newest.current;
            return last.tag(task);
          },
          onWritten: tagged => last.reuse(tagged),
          ...{ onBelow, onTextless, onBlank },
        });
        if (ended) onEnd();
        return { records };
      } finally {
        await writer.close?.();
      }
    },
    close: () => transport.close?.(),
  };
}
