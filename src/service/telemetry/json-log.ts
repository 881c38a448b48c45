import pino from 'pino';
import type { Log, LogFields, LogLevel } from '../../engine/core/log.js';
import { redacted } from '../../engine/core/secrets.js';
import { visibleJson } from '../../engine/text/visible.js';

/** Destination of lines, such as standard error. */
export interface LineStream {
  write(line: string): unknown;
}

/**
 * Returns a pino log with one line of JSON per message: `level`, `time`, the fields, `msg`; secrets are hidden.
 *
 * @param level lowest level to write
 * @example
 * const lines = [];
 * const log = jsonLog('warn', { write: line => lines.push(JSON.parse(line)) });
 * log.info('not this one');
 * log.warn('a line is no JSON', { code: 'not-json', line: 7 });
 * const [{ time, ...rest }, ...more] = lines;
 * more // => []
 * rest // => ({ level: 'warn', code: 'not-json', line: 7, msg: 'a line is no JSON' })
 */
export function jsonLog(level: LogLevel, stream: LineStream): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: name => ({ level: name }) },
    },
    { write: line => void stream.write(`${visibleJson(redacted(line.trimEnd()))}\n`) },
  );
  return {
    info: (message, fields: LogFields = {}) => logger.info(fields, message),
    warn: (message, fields: LogFields = {}) => logger.warn(fields, message),
    error: (message, fields: LogFields = {}) => logger.error(fields, message),
  };
}
