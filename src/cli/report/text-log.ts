import { type Log, type LogLevel, logLevels } from '../../engine/core/log.js';
import { redacted } from '../../engine/core/secrets.js';
import { visible } from '../../engine/text/visible.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import type { LineStream } from '../../service/telemetry/json-log.js';

/**
 * Returns a log of plain text lines on the standard error, without secrets and with control characters escaped;
 * warnings and errors name the command.
 *
 * @param level the lowest level that is written
 */
export function textLog(level: LogLevel, stream: LineStream = standardStreams().stderr): Log {
  const atMost = logLevels.indexOf(level);
  const writer = (own: LogLevel, head: string) => (message: string) => {
    if (logLevels.indexOf(own) <= atMost) stream.write(`${head}${visible(redacted(message))}\n`);
  };
  return {
    info: writer('info', ''),
    warn: writer('warn', 'tagstream: '),
    error: writer('error', 'tagstream: '),
  };
}
