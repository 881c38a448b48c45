import { basename } from 'node:path';
import { TagstreamError, thrownMessage } from '../../engine/core/errors.js';
import { isModelAddress, modelAddress } from '../../engine/interfaces/model-address.js';
import { readBytes } from '../../formats/reading/read-bytes.js';
import { inheritedSocket, isLocal, ownAuthorities } from '../../runtime/http/listen.js';
import { readDictionary } from '../../runtime/pipeline/tagging/tagging-options.js';
import { createService, type Service } from '../../service/serve/service.js';
import {
  defaultLimits,
  type ServiceLimits,
  type ServiceOptions,
} from '../../service/serve/service-options.js';
import { startService } from '../../service/serve/start-service.js';
import { type NatsArguments, registryOf } from '../options/nats-options.js';
import type {
  LogArguments,
  MetricsArguments,
  ShutdownArguments,
} from '../options/operation-options.js';
import { pluginsOf, type UseArguments } from '../options/use-option.js';
import { errorFields } from '../report/error-facts.js';
import type { Reporting } from '../report/reporting.js';
import { reloadRequests } from '../signals/reload-requests.js';
import { stopSignal } from '../signals/stop-signal.js';

/** Arguments of `serve`. */
export interface ServeArguments
  extends LogArguments,
    Partial<MetricsArguments>,
    NatsArguments,
    ShutdownArguments,
    ServiceLimits,
    UseArguments {
  readonly models: readonly string[];
  /** Aliases, each as `ALIAS=NAME`. */
  readonly alias?: readonly string[] | undefined;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /** Path of a file with access tokens. */
  readonly tokens?: string | undefined;
  readonly cors?: readonly string[] | undefined;
  /** Path of the certificate file. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly watch?: boolean | undefined;
  /** Path of a dictionary file; false: no dictionary. */
  readonly dictionary?: string | false | undefined;
  /** Path of a rules file. */
  readonly rules?: string | undefined;
  readonly threads?: number | undefined;
  readonly stallTimeout?: number | undefined;
}

/** Default seconds for an orderly shutdown. */
const stopSeconds = 30;

/** Serves models over HTTP until the process receives a signal to end. */
export async function serveModels(given: ServeArguments, report: Reporting): Promise<void> {
  const { log } = report;
  const { host = '127.0.0.1', port = 8080, tlsCert, tlsKey } = given;
  const fd = requestedSocket(given);
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? undefined
      : { cert: readBytes(tlsCert), key: readBytes(tlsKey) };
  const stop = stopSignal(report, given.shutdownTimeout);
  const reloads = reloadRequests(log);
  let service: Service | undefined;
  try {
    // Empty until the service listens, as the address of an inherited socket is known only then.
    service = await createService({ ...(await optionsOf(given, report)), hosts: new Set() });
    const { stallTimeout } = given;
    const started = await startService(service, { host, port, fd, tls, stallTimeout });
    const own = fd === undefined ? host : started.host;
    const scheme = tls === undefined ? 'http' : 'https';
    service.setHosts(isLocal(own) ? ownAuthorities(own, started.port, scheme) : undefined);
    if (!isLocal(own) && given.tokens === undefined) {
      log.warn(
        `${fd === undefined ? `--host ${host}` : `the socket on ${own}`} lets others reach the service without a token; --tokens FILE asks for one`,
      );
    }
    const { status, show } = report;
    const running = service;
    status?.begin();
    show?.(running.metrics);
    reloads.onRequest(() => reload(service!, given, report));
    log.info(
      `serving ${Object.keys(service.versions).join(', ')} on ${started.url} (Ctrl+C ends)`,
      {
        url: started.url,
      },
    );
    if (!stop.signal.aborted) {
      await new Promise(resolve => stop.signal.addEventListener('abort', resolve, { once: true }));
    }
    // Streams that do not end by themselves get a third of the time.
    await started.stop(((given.shutdownTimeout ?? stopSeconds) * 1000) / 3);
  } finally {
    reloads.dispose();
    stop.dispose();
    await service?.close();
  }
}

/**
 * Returns the descriptor of the socket that systemd or another parent process has opened for the
 * service.
 *
 * @throws TagstreamError `usage` if options name another address
 */
function requestedSocket({ port, host }: ServeArguments): number | undefined {
  const fd = inheritedSocket(process.env, process.pid);
  const option = port !== undefined ? '--port' : host !== undefined ? '--host' : undefined;
  if (fd === undefined || option === undefined) return fd;
  throw new TagstreamError(
    'usage',
    `${option} cannot be combined with a socket of the parent process (LISTEN_FDS)`,
    { fix: `leave ${option} out; ListenStream of the .socket unit sets address and port` },
  );
}

function reload(service: Service, { tokens }: ServeArguments, { log }: Reporting): void {
  try {
    if (tokens !== undefined) service.setTokens(readText(tokens));
  } catch (error) {
    log.warn(`keeping the old tokens: ${thrownMessage(error)}`);
  }
  // Errors of a reload are reported by the model's event.
  service.reload().catch(() => undefined);
}

async function optionsOf(given: ServeArguments, { log }: Reporting): Promise<ServiceOptions> {
  const { tokens, rules, alias = [], cors, origin, watch, threads } = given;
  const limits = Object.fromEntries(
    Object.keys(defaultLimits).map(name => [name, given[name as keyof ServiceLimits]]),
  );
  const plugins = await pluginsOf(given);
  return {
    models: namedModels(given.models),
    aliases: Object.fromEntries(alias.map(aliasOf)),
    ...{ threads, watch, cors, origin },
    ...limits,
    dictionary: readDictionary(given.dictionary),
    rules:
      rules === undefined
        ? undefined
        : (await import('../../runtime/pipeline/options/rule-options.js')).readRulesFile(rules),
    modules: plugins?.modules,
    registry: registryOf(given),
    tokens: tokens === undefined ? undefined : readText(tokens),
    onError: error => log.error(textOf(error), errorFields(error)),
    events: {
      onVersion: (model, version) =>
        log.info(`${model}: version ${version} is ready`, { model, version }),
      onKept: (model, error) =>
        log.warn(`${model}: keeping the old model: ${textOf(error)}`, { model }),
      onDeath: (model, error) => log.error(`${model}: ${textOf(error)}; starting again`, { model }),
    },
  };
}

function textOf(error: unknown): string {
  return thrownMessage(error);
}

function readText(file: string): { text: string; source: string } {
  return { text: new TextDecoder().decode(readBytes(file)), source: file };
}

/**
 * Returns models by name, which is given as `NAME=FILE`, or is the file name without extension or
 * the name in the registry.
 *
 * @throws TagstreamError `usage` for duplicate names
 * @example
 * namedModels(['models/ner.model', 'pos=a.model', 'nats://chunk@production'])
 * // => { ner: 'models/ner.model', pos: 'a.model', chunk: 'nats://chunk@production' }
 */
export function namedModels(given: readonly string[]): Record<string, string> {
  const models: Record<string, string> = {};
  for (const text of given) {
    const [, own, rest] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
    const source = rest ?? text;
    const name =
      own ??
      (isModelAddress(source)
        ? modelAddress(source).name
        : basename(source).replace(/\.[^.]*$/, ''));
    if (Object.hasOwn(models, name)) {
      throw new TagstreamError('usage', `two models have the name ${name}`, {
        fix: 'name each of them: NAME=FILE; --alias ALIAS=NAME adds a name',
      });
    }
    models[name] = source;
  }
  return models;
}

/** @throws TagstreamError `usage` */
function aliasOf(text: string): [alias: string, name: string] {
  const [, alias, name] = /^([\w.-]+)=([\w.-]+)$/.exec(text) ?? [];
  if (alias !== undefined) return [alias, name!];
  throw new TagstreamError('usage', `--alias ${text}`, { fix: 'write --alias ALIAS=NAME' });
}
