import { basename } from 'node:path';
import type { Registry } from 'prom-client';
import { TagstreamError, thrownMessage } from '../../engine/core/errors.js';
import type { Log } from '../../engine/core/log.js';
import { RunStatus } from '../../engine/core/run-status.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import type { LogArguments, MetricsArguments } from '../options/operation-options.js';
import { errorFields, exitCodeOf } from './error-facts.js';
import { textLog } from './text-log.js';

/** Reporting of a command's activity. */
export interface Reporting {
  readonly log: Log;
  /** Run status, which must be kept up to date; undefined if it is not observed. */
  readonly status: RunStatus | undefined;
  /** Shows further metrics; absent if no metrics are shown. */
  show?(metrics: Registry): void;
  /** Logging arguments. */
  readonly logging: LogArguments;
}

/**
 * Runs a command with the reporting that its arguments request, over HTTP too if requested. A
 * signal that ends its wait for the other end of a pipe is not an error. An error that ends the
 * command is written to a JSON log; with plain text logs, the command itself prints it.
 */
export async function reporting(
  given: LogArguments & Partial<MetricsArguments>,
  work: (reporting: Reporting) => Promise<void>,
): Promise<void> {
  if (given.log === 'text') return watched(given, textLog(given.logLevel), work);
  const { jsonLog } = await import('../../service/telemetry/json-log.js');
  const log = jsonLog(given.logLevel, standardStreams().stderr);
  try {
    await watched(given, log, work);
  } catch (error) {
    const message = thrownMessage(error);
    const stack = given.verbose === true && error instanceof Error ? { stack: error.stack } : {};
    log.error(message, { ...errorFields(error), ...stack });
    standardStreams().exitCode = exitCodeOf(error);
  }
}

async function watched(
  given: LogArguments & Partial<MetricsArguments>,
  log: Log,
  work: (reporting: Reporting) => Promise<void>,
): Promise<void> {
  const { metrics, metricsHost: host, dashboard = false } = given;
  const port = metrics ?? (dashboard ? 0 : undefined);
  if (port === undefined) {
    if (host === undefined) {
      return unlessStopped({ log, status: undefined, logging: given }, work);
    }
    throw new TagstreamError('usage', '--metrics-host needs a port', {
      fix: 'add --metrics 0 or --dashboard',
    });
  }
  const { TelemetryServer } = await import('../../service/telemetry/telemetry-server.js');
  const status = new RunStatus();
  const server = await TelemetryServer.start(status, {
    ...{ port, host },
    dashboard: dashboard ? titleOf(given as never) : undefined,
  });
  if (metrics !== undefined) log.info(`metrics: ${server.url}/metrics`, { url: server.url });
  if (dashboard) log.info(`dashboard: ${server.url}/dashboard`, { url: server.url });
  try {
    await unlessStopped(
      { log, status, logging: given, show: metrics => server.show(metrics) },
      work,
    );
  } finally {
    await server.close();
  }
}

/** Returns the title of a run: the command, and its most informative file. */
function titleOf({ _: command, ...given }: Readonly<Titled>): string {
  const { pipeline, study, records, models, model } = given;
  const subject = [pipeline ?? study ?? records ?? models ?? model ?? []].flat();
  return [...command, ...subject.map(each => basename(each))].join(' ');
}

/** Arguments used for a title. */
interface Titled {
  readonly _: readonly string[];
  readonly pipeline?: string;
  readonly study?: string;
  readonly records?: string;
  readonly model?: string | readonly string[];
  readonly models?: readonly string[];
}

async function unlessStopped(
  report: Reporting,
  work: (reporting: Reporting) => Promise<void>,
): Promise<void> {
  try {
    await work(report);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    report.log.warn('stopped while waiting for the other end of a pipe');
  }
}
