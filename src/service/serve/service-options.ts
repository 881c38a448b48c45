import type { PluginModule } from '../../engine/interfaces/loaded-plugin.js';
import type { TagRule } from '../../engine/models/decoding/tag-rules.js';
import type { DictionaryEntries } from '../../engine/models/labels/tag-dictionary.js';
import type { RegistryChoice } from '../../runtime/pipeline/setup/run-options.js';
import type { ModelEvents } from './models/served-model.js';

/** The options of `createService`. */
export interface ServiceOptions extends ServiceLimits {
  /**
   * Model files by name, or models of a registry (`nats://NAME@ALIAS`), whose promoted versions are adopted. The first
   * model answers requests that name none.
   */
  readonly models: Readonly<Record<string, string>>;
  /** Alternative names of models. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Number of threads per model. Default: one fewer than processors, at least 1. */
  readonly threads?: number | undefined;
  /** Whether a model file is reloaded when it is replaced. Default false. */
  readonly watch?: boolean | undefined;
  /** Dictionary that replaces those of the models; false: none. */
  readonly dictionary?: DictionaryEntries | false | undefined;
  /** Rules for all requests. */
  readonly rules?: readonly TagRule[] | undefined;
  /** Plug-ins that models need. */
  readonly modules?: readonly PluginModule[] | undefined;
  /** The connection to the registry of models. */
  readonly registry?: RegistryChoice | undefined;
  /** Text of a file of tokens, one per line: every request except those for `/`, `/livez` and `/readyz` needs one. */
  readonly tokens?: { readonly text: string; readonly source: string } | undefined;
  /**
   * The authorities under which the service is reached, such as `localhost:8080`: requests for other authorities are
   * refused. Default: any. A set may grow while the service runs.
   */
  readonly hosts?: ReadonlySet<string> | undefined;
  /** Address of the service behind a proxy, as browsers show it. */
  readonly origin?: string | undefined;
  /**
   * Origins whose pages may send requests, such as `https://app.example.com`, or `*`. Default:
   * none.
   */
  readonly cors?: readonly string[] | undefined;
  readonly events?: ModelEvents | undefined;
  /** Called with internal errors, whose details clients do not see. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Limits of requests to a service. */
export interface ServiceLimits {
  /** Maximum number of bytes of a whole body, or of a record of a stream. Default 1 MiB. */
  readonly maxBody?: number | undefined;
  /** Maximum number of records per whole body. Default 10,000. */
  readonly maxRecords?: number | undefined;
  /** Maximum number of tokens per sentence; a record may have 16 times as many. Default 10,000. */
  readonly maxTokens?: number | undefined;
  /** Maximum number of alternatives per sentence. Default 10. */
  readonly maxNbest?: number | undefined;
  /**
   * Maximum estimated work of a whole body, or of a record of a stream, as a number of tokens that get plain tags; an
   * explained token, or one with the probabilities of many labels, counts as many. Default 1,000,000.
   */
  readonly maxWork?: number | undefined;
  /** Maximum number of bytes of an answer, or of the answer to a part of a stream. Default 32 MiB. */
  readonly maxAnswer?: number | undefined;
  /** Milliseconds from a request's first byte until it is abandoned if unanswered. Default 30,000. */
  readonly timeout?: number | undefined;
  /** Maximum expected wait of a request in milliseconds: it is refused (503) if it would wait longer. Default 100. */
  readonly maxWait?: number | undefined;
  /**
   * Maximum number of bytes of bodies received without an answer, and of answers that clients have not taken, over all
   * requests. Default 64 MiB.
   */
  readonly maxHeld?: number | undefined;
  /** Maximum number of these bytes per client. Default: half of `maxHeld`. */
  readonly maxClientHeld?: number | undefined;
  /** Maximum number of concurrent NDJSON streams. Default 64. */
  readonly maxStreams?: number | undefined;
  /** Maximum number of concurrent NDJSON streams per client. Default: half of `maxStreams`. */
  readonly maxClientStreams?: number | undefined;
  /** Minimum number of bytes per second that a whole body must arrive at, after the first ten seconds. Default 256. */
  readonly minRate?: number | undefined;
  /**
   * Milliseconds for which the client of a request may be silent, or take in nothing of its answer, before it gives way
   * to others when a limit is reached. Default 10,000.
   */
  readonly yieldAfter?: number | undefined;
  /** Maximum milliseconds that the client of a stream may be silent. Default 300,000. */
  readonly idleTimeout?: number | undefined;
}

/** The default limits. */
export const defaultLimits = {
  maxBody: 1 << 20,
  maxRecords: 10_000,
  maxTokens: 10_000,
  maxNbest: 10,
  maxWork: 1_000_000,
  maxAnswer: 32 << 20,
  timeout: 30_000,
  maxWait: 100,
  maxHeld: 64 << 20,
  maxClientHeld: 32 << 20,
  maxStreams: 64,
  maxClientStreams: 32,
  minRate: 256,
  yieldAfter: 10_000,
  idleTimeout: 300_000,
} as const satisfies ServiceLimits;

/** Values of all limits. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };

/** Returns the values of all limits; a client may have half of what is limited in total. */
export function limitsOf(options: ServiceLimits): Limits {
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Partial<Limits>;
  const { maxHeld, maxStreams } = { ...defaultLimits, ...given };
  const halves = {
    maxClientHeld: Math.ceil(maxHeld / 2),
    maxClientStreams: Math.ceil(maxStreams / 2),
  };
  return { ...defaultLimits, ...halves, ...given };
}

/** Names of the options of `createService`. */
export const serviceOptionNames = [
  ...['models', 'aliases', 'threads', 'watch', 'dictionary', 'rules', 'modules', 'registry'],
  ...['tokens', 'hosts', 'origin', 'cors', 'events', 'onError'],
  ...Object.keys(defaultLimits),
];
