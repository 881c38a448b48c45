import { describe, expect, it } from 'vitest';
import { type LogLevel, logLevels } from '../../../src/engine/core/log.js';
import { jsonLog } from '../../../src/service/telemetry/json-log.js';

/** What a log of a level writes of one message of each level. */
function written(level: LogLevel): Record<string, unknown>[] {
  const lines: string[] = [];
  const log = jsonLog(level, { write: line => lines.push(line) });
  log.info('an info', { sentencesSeen: 7, nested: { f1: 12.5 } });
  log.warn('a "warning"\nof two lines');
  log.error('an error', { code: 'file', source: 'é.ndjson' });
  expect(lines.every(line => line.endsWith('}\n') && !line.slice(0, -1).includes('\n'))).toBe(true);
  return lines.map(line => JSON.parse(line) as Record<string, unknown>);
}

describe('the log of JSON', () => {
  it('is one object a line, with level, time, text and fields, and nothing else', () => {
    const start = Date.now();
    const lines = written('info');
    for (const { time } of lines) {
      expect(new Date(time as string).toISOString()).toBe(time);
      expect(Date.parse(time as string)).toBeGreaterThanOrEqual(start);
    }
    expect(lines.map(({ time, ...rest }) => rest)).toEqual([
      { level: 'info', msg: 'an info', sentencesSeen: 7, nested: { f1: 12.5 } },
      { level: 'warn', msg: 'a "warning"\nof two lines' },
      { level: 'error', msg: 'an error', code: 'file', source: 'é.ndjson' },
    ]);
  });

  it('has what is as important as its level, or more', () => {
    expect(logLevels.map(level => written(level).map(line => line.level))).toEqual([
      ['error'],
      ['warn', 'error'],
      ['info', 'warn', 'error'],
    ]);
  });
});
