import type { ObservableInput } from 'rxjs';
import type { ZodType } from 'zod';
import { TagstreamError } from '../../engine/core/errors.js';
import type { TokenFunctionComponent } from '../../engine/features/template/token-function.js';
import type {
  CodecDefinition,
  LossDefinition,
  OptimizerDefinition,
  PluginComponent,
  StageDefinition,
  TokenFunctionDefinition,
  TransportDefinition,
} from '../../engine/interfaces/definitions.js';
import type {
  CodecComponent,
  LoadedPlugin,
  PluginModule,
  TransportComponent,
} from '../../engine/interfaces/loaded-plugin.js';
import type {
  Message,
  MessageRequest,
  MessageTransport,
  MessageWriter,
  TransportSetting,
} from '../../engine/interfaces/messages.js';
import { guarded, pluginFault } from '../../engine/interfaces/plugin-fault.js';
import type { Loss } from '../../engine/losses/loss.js';
import type { LossComponent } from '../../engine/losses/loss-components.js';
import type { Optimizer, OptimizerComponent } from '../../engine/optimizers/optimizer.js';
import { eachValue } from './each-value.js';
import { optionsSchema } from './options-schema.js';
import { pluginStage } from './plugin-stage.js';

const kinds = ['loss', 'optimizer', 'codec', 'stage', 'transport', 'token function'] as const;

/** Valid names of components; names of token functions precede a bracket in templates. */
const names = { component: /^[A-Za-z][\w-]*$/, function: /^[A-Za-z]+$/ };

/**
 * Checks a plug-in and prepares it for use. It may be a plain object, and may come from another copy of the package.
 *
 * @param module the module that it was loaded from, if any
 * @throws TagstreamError `config` that names the plug-in, the component, what was expected, and the fix
 */
export function checkPlugin(given: unknown, module?: PluginModule): LoadedPlugin {
  const from = module === undefined ? 'a plug-in' : `the plug-in ${module.named}`;
  if (!isObject(given)) throw notOne(from, 'is not an object');
  const { name, components } = given;
  if (typeof name !== 'string' || name === '') throw notOne(from, 'has no name');
  const plugin = `the plug-in ${name}`;
  if (!Array.isArray(components)) throw notOne(plugin, 'has no list of components');
  const checked = components.map((component: unknown, i) => checkComponent(component, i, plugin));
  const of = <Kind extends PluginComponent['kind']>(kind: Kind) =>
    checked.filter(
      (component): component is Extract<PluginComponent, { kind: Kind }> => component.kind === kind,
    );
  const called = (component: PluginComponent) => whatOf(component, plugin);
  return {
    name,
    module,
    losses: of('loss').map(each => pluginLoss(each as never, called(each))),
    optimizers: of('optimizer').map(each => pluginOptimizer(each as never, called(each))),
    codecs: of('codec').map(each => pluginCodec(each as never, called(each))),
    transports: of('transport').map(each => pluginTransport(each as never, called(each))),
    stages: of('stage').map(each => pluginStage(each as never as StageDefinition, called(each))),
    functions: of('token function').map(each => pluginFunction(each as never, called(each))),
  };
}

function whatOf({ kind, name }: PluginComponent, plugin: string): string {
  return `the ${kind} ${name} of ${plugin}`;
}

function checkComponent(given: unknown, i: number, plugin: string): PluginComponent {
  const place = `component ${i + 1} of ${plugin}`;
  if (!isObject(given))
    throw wrong(place, 'is not an object', 'define it with defineLoss or one of its siblings');
  const { kind, name, summary, create } = given;
  if (!kinds.includes(kind as PluginComponent['kind'])) {
    const problem = kind === undefined ? 'has no kind' : `is of the unknown kind ${String(kind)}`;
    throw wrong(place, problem, `give kind: one of ${kinds.join(', ')}`);
  }
  const isFunction = kind === 'token function';
  const pattern = isFunction ? names.function : names.component;
  if (typeof name !== 'string' || !pattern.test(name)) {
    const problem = name === undefined ? 'has no name' : `has the name ${JSON.stringify(name)}`;
    const expected = isFunction ? 'letters alone' : 'letters, digits, - and _, a letter first';
    throw wrong(place, problem, `give it a name of ${expected}`);
  }
  const component = given as unknown as PluginComponent;
  const what = whatOf(component, plugin);
  if (typeof summary !== 'string' || summary === '') {
    throw wrong(what, 'has no summary', 'describe it in one line');
  }
  if (typeof create !== 'function') {
    throw wrong(what, 'has no function create', 'add create, which builds it from its options');
  }
  return component;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function notOne(plugin: string, problem: string): TagstreamError {
  const fix = 'give { name, components: [...] }, as definePlugin does';
  return wrong(plugin, problem, fix);
}

function wrong(what: string, problem: string, fix: string): TagstreamError {
  return new TagstreamError('config', `${what} ${problem}`, { fix });
}

/** Checks the codec of a plug-in. */
function pluginCodec(definition: CodecDefinition, what: string): CodecComponent {
  const { name, summary, records, extensions } = definition;
  if (records !== 'lines' && records !== 'sentences') {
    throw new TagstreamError('config', `${what} does not say what a record is`, {
      fix: 'give records: lines, or records: sentences for lines up to a blank one',
    });
  }
  return {
    ...{ name, summary, records, what },
    ...(extensions === undefined ? {} : { extensions }),
    example: definition.example ?? `source: { ${name}: { files: [train.${name}] } }`,
    options: optionsSchema(definition.options, what),
    create(options) {
      const made = guarded(what, 'config', () => definition.create(options as never));
      if (typeof made?.parse === 'function' && typeof made.write === 'function') return made;
      throw new TagstreamError(
        'config',
        `create of ${what} did not return an object with parse and write`,
        {
          fix: 'return { parse: text => record, write: tagged => text }',
        },
      );
    },
  };
}

/** Wraps the token function of a plug-in, so that errors name it and the token. */
function pluginFunction(definition: TokenFunctionDefinition, what: string): TokenFunctionComponent {
  const { name, summary } = definition;
  const argument = definition.argument as ZodType | undefined;
  const third = argument === undefined ? '' : ',...';
  return {
    ...{ name, summary, argument },
    example: definition.example ?? `U:%${name}[0,0${third}]`,
    create(given) {
      const find = guarded(what, 'config', () => definition.create(given as never));
      if (typeof find !== 'function') {
        throw new TagstreamError('config', `create of ${what} did not return a function`, {
          fix: 'return token => text, or undefined for no feature',
        });
      }
      return token => {
        const found = guarded(what, 'stage', () => find(token));
        if (typeof found === 'string' || found === undefined) return found;
        throw new TagstreamError(
          'stage',
          `${what} returned a ${typeof found} for the token ${JSON.stringify(token.slice(0, 40))}`,
          { fix: 'return text, or undefined for no feature' },
        );
      };
    },
  };
}

/**
 * Converts the loss of a plug-in to Tagstream's interface: other threads recreate it from its name and
 * options.
 */
function pluginLoss(definition: LossDefinition, what: string): LossComponent<never> {
  const { name, summary, predicts = false, smooth, exclusive = false } = definition;
  const example = definition.example ?? `contribute: { loss: ${name} }`;
  const component: LossComponent<unknown> = {
    ...{ name, summary, example },
    options: optionsSchema(definition.options, what),
    create(options, context): Loss {
      const apply = guarded(what, 'config', () => definition.create(options as never, context));
      if (typeof apply !== 'function') throw noFunction(what);
      return {
        ...{ name, summary, example, predicts, smooth, exclusive, scorers: ['linear'] },
        shared: () => ({ name, options, outside: context.outside() }),
        apply(kernel, lattice, s, gold, predicted) {
          let loss: number;
          try {
            loss = apply(kernel, lattice, s, gold, predicted);
          } catch (thrown) {
            throw pluginFault(thrown, what, 'stage');
          }
          if (typeof loss === 'number') return loss;
          throw new TagstreamError('stage', `${what} returned a ${typeof loss} for a sentence`, {
            fix: 'return the loss of the sentence, a number',
          });
        },
      };
    },
  };
  return component as unknown as LossComponent<never>;
}

function noFunction(what: string): TagstreamError {
  return new TagstreamError('config', `create of ${what} did not return a function`, {
    fix: 'return (kernel, lattice, s, gold, predicted) => loss',
  });
}

const methods = ['prepare', 'apply', 'deploy', 'save', 'restore'] as const;

/** Converts the optimizer of a plug-in to Tagstream's interface. */
function pluginOptimizer(definition: OptimizerDefinition, what: string): OptimizerComponent<never> {
  const { name, summary, losses, hogwild = false } = definition;
  const component: OptimizerComponent<unknown> = {
    ...{ name, summary, hogwild },
    penalty(options) {
      if (definition.penalty === undefined) return { others: true };
      const found = guarded(what, 'config', () => definition.penalty!(options as never));
      const isPenalty = (value: unknown) => value === undefined || Number.isFinite(value);
      if (isObject(found) && [found.l1, found.l2].every(isPenalty)) return found;
      throw wrong(what, 'returned no penalties', 'return { l1, l2 } from penalty, or {} for none');
    },
    ...(losses === undefined ? {} : { losses }),
    example: definition.example ?? `optimize: { ${name}: {} }`,
    options: optionsSchema(definition.options, what),
    create(options, context) {
      const made = guarded(what, 'config', () => definition.create(options as never, context));
      const missing = methods.filter(method => typeof made?.[method] !== 'function');
      if (missing.length > 0 || typeof made.stepSize !== 'number') {
        throw incomplete(what, [
          ...missing,
          ...(typeof made?.stepSize === 'number' ? [] : ['stepSize']),
        ]);
      }
      return new PluginOptimizer(name, what, made);
    },
  };
  return component as unknown as OptimizerComponent<never>;
}

/** Delegates to the optimizer of a plug-in, and attributes errors to it. */
class PluginOptimizer implements Optimizer {
  readonly name: string;
  readonly lazy: boolean;
  readonly settle?: NonNullable<Optimizer['settle']>;
  readonly forget?: NonNullable<Optimizer['forget']>;
  readonly #what: string;
  readonly #made: Omit<Optimizer, 'name'>;

  constructor(name: string, what: string, made: Omit<Optimizer, 'name'>) {
    this.name = name;
    this.lazy = made.lazy ?? false;
    this.#what = what;
    this.#made = made;
    const { settle, forget } = made;
    if (settle !== undefined) this.settle = () => this.#guarded(() => made.settle!());
    if (forget !== undefined) {
      this.forget = (stateRows, edgeRows) => this.#guarded(() => made.forget!(stateRows, edgeRows));
    }
  }

  get stepSize(): number {
    return this.#made.stepSize;
  }

  prepare: Optimizer['prepare'] = minibatch => this.#guarded(() => this.#made.prepare(minibatch));

  apply: Optimizer['apply'] = contribution => this.#guarded(() => this.#made.apply(contribution));

  deploy: Optimizer['deploy'] = target => this.#guarded(() => this.#made.deploy(target));

  save: Optimizer['save'] = () => this.#guarded(() => this.#made.save());

  restore: Optimizer['restore'] = state => this.#guarded(() => this.#made.restore(state));

  #guarded<Result>(work: () => Result): Result {
    return guarded(this.#what, 'stage', work);
  }
}

function incomplete(what: string, missing: readonly string[]): TagstreamError {
  return new TagstreamError(
    'config',
    `create of ${what} did not return an object with ${missing.join(', ')}`,
    {
      fix: `return an object with ${methods.join(', ')} and stepSize`,
    },
  );
}

/** Wraps the transport of a plug-in, so that errors name it. */
function pluginTransport(definition: TransportDefinition, what: string): TransportComponent {
  const { name, summary } = definition;
  const create = (options: unknown, setting: TransportSetting, wanted: 'read' | 'write') => {
    const made = guarded(what, 'config', () => definition.create(options as never, setting));
    if (typeof made?.[wanted] === 'function') return made;
    const can = wanted === 'read' ? 'cannot receive messages' : 'cannot send messages';
    throw new TagstreamError('config', `${what} ${can}: it has no function ${wanted}`, {
      fix:
        wanted === 'read'
          ? 'return { name, read } from create'
          : 'return { name, write } from create',
    });
  };
  return {
    ...{ name, summary },
    example: definition.example ?? `source: { ndjson: { from: { ${name}: {} } } }`,
    options: optionsSchema(definition.options, what),
    reading(options, setting) {
      const made = create(options, setting, 'read');
      const read = (request: MessageRequest) =>
        messagesOf(what, request, () => made.read!(request));
      const state = () => made.state?.() ?? {};
      return { name: nameOf(made, name), read, state, close: async () => made.close?.() };
    },
    writing(options, setting) {
      const made = create(options, setting, 'write');
      return {
        ...{ name: nameOf(made, name), takes: made.takes },
        write: async () => writerOf(what, made),
      };
    },
  };
}

function nameOf(made: MessageTransport, name: string): string {
  return typeof made.name === 'string' && made.name !== '' ? made.name : name;
}

async function* messagesOf(
  what: string,
  { signal }: MessageRequest,
  read: () => ObservableInput<Message | readonly Message[]>,
): AsyncGenerator<readonly Message[], void, undefined> {
  try {
    for await (const some of eachValue(read(), signal)) {
      yield [some].flat().map(message => checked(message, what));
    }
  } catch (thrown) {
    throw pluginFault(thrown, what, 'file');
  }
}

function checked(message: Message, what: string): Message {
  const bytes = message?.bytes;
  if (typeof bytes !== 'string' && !(bytes instanceof Uint8Array)) {
    throw new TagstreamError('file', 'a message has no bytes', {
      fix: 'yield { bytes, cursor, ack }, with text or a Uint8Array as bytes',
    });
  }
  const { ack } = message;
  if (ack === undefined) return message;
  return { ...message, ack: () => guarded(what, 'file', () => ack.call(message)) };
}

async function writerOf(what: string, made: MessageTransport): Promise<MessageWriter> {
  try {
    const writer = await made.write!();
    const sending = async (send: () => Promise<unknown>) => {
      try {
        await send();
      } catch (thrown) {
        throw pluginFault(thrown, what, 'file');
      }
    };
    return {
      send: (bytes, id, record) => sending(() => writer.send(bytes, id, record)),
      sendPiece: (bytes, position) => sending(() => writer.sendPiece!(bytes, position)),
      close: async () => writer.close?.(),
    };
  } catch (thrown) {
    throw pluginFault(thrown, what, 'file');
  }
}
