import type { Log } from '../../engine/core/log.js';
import { counted } from '../../engine/core/wording/numbers.js';
import { sourceName } from '../../formats/reading/open-input.js';
import type { RunEvents } from '../../runtime/pipeline/definition/events.js';
import { errorFields } from './error-facts.js';

/** Logs the checkpoints that a run finds in its folder. */
export function checkpointEvents(
  log: Log,
): Required<
  Pick<RunEvents, 'onDamagedCheckpoint' | 'onResumeAfter' | 'onKept' | 'onMoved' | 'onAnew'>
> {
  return {
    onDamagedCheckpoint: (name, error) =>
      log.warn(`skipped checkpoint ${name}: ${error.message}`, {
        checkpoint: name,
        ...errorFields(error),
      }),
    onResumeAfter: position => {
      if (position?.source === sourceName('-')) {
        log.info('resumed: treating standard input as new records');
        return;
      }
      const place = position === undefined ? undefined : `${position.source}:${position.line}`;
      log.info(
        place === undefined ? 'resumed before the first record' : `resumed after ${place}`,
        place === undefined ? {} : { position: place },
      );
    },
    onKept: bytes =>
      log.info(
        `${counted(bytes, 'byte')} of results after the checkpoint are kept: the pipe will not deliver their records again`,
        { bytes },
      ),
    onMoved: (part, found) =>
      log.warn(
        found === undefined
          ? `${part} was moved away or deleted since the checkpoint: the run continues in a new file; results written after the checkpoint are written again`
          : `${part} was moved or copied to ${found} since the checkpoint: the run continues in a new file, without the earlier results`,
        { part, ...(found === undefined ? {} : { found }) },
      ),
    onAnew: (directory, newest) =>
      log.warn(
        `${directory} has checkpoints of an earlier run, the newest ${newest}: this run starts from scratch and replaces them (--resume continues from the newest)`,
        { directory, checkpoint: newest },
      ),
  };
}
