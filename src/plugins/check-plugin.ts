import { TagstreamError } from '../core/errors.js';
import type { PluginComponent } from './definitions.js';
import type { LoadedPlugin, PluginModule } from './loaded-plugin.js';
import { pluginCodec } from './plugin-codec.js';
import { pluginFunction } from './plugin-function.js';
import { pluginLoss } from './plugin-loss.js';
import { pluginOptimizer } from './plugin-optimizer.js';
import { pluginTransport } from './plugin-transport.js';

const kinds = ['loss', 'optimizer', 'codec', 'transport', 'token function'] as const;

/** Names of components; those of token functions stand before a bracket in templates. */
const names = { component: /^[A-Za-z][\w-]*$/, function: /^[A-Za-z]+$/ };

/**
 * A plug-in, checked and made ready for use. It may be a plain object: nothing depends on whose functions made it.
 *
 * @param module where it was loaded from, if it was
 * @throws TagstreamError `config` that names the plug-in, the component, what was expected, and the fix
 */
export function checkPlugin(given: unknown, module?: PluginModule): LoadedPlugin {
  const from = module === undefined ? 'a plug-in' : `the plug-in ${module.named}`;
  if (!isObject(given)) throw notOne(from, 'is no object');
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
    functions: of('token function').map(each => pluginFunction(each as never, called(each))),
  };
}

function whatOf({ kind, name }: PluginComponent, plugin: string): string {
  return `the ${kind} ${name} of ${plugin}`;
}

function checkComponent(given: unknown, i: number, plugin: string): PluginComponent {
  const place = `component ${i + 1} of ${plugin}`;
  if (!isObject(given)) throw wrong(place, 'is no object', 'define it by defineLoss or its like');
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
    throw wrong(what, 'has no summary', 'say in one line what it is');
  }
  if (typeof create !== 'function') {
    throw wrong(what, 'has no function create', 'give create, which makes it from its options');
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
