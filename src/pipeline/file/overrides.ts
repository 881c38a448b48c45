import { TagstreamError } from '../../core/errors.js';
import { keepSecretsInText } from '../../core/secrets.js';
import { parseYaml } from './yaml-document.js';

/**
 * A copy of a parsed file with `path=value` settings applied; values are read as YAML.
 *
 * A stage can be named in place of its number: `stages.optimize.sgd.eta0=0.05`.
 *
 * @throws TagstreamError `usage` if a setting has no `=`, or leads into a value that has no parts
 * @example
 * applyOverrides({ train: { epochs: 3 } }, ['train.epochs=5', 'name=x']) // => { train: { epochs: 5 }, name: 'x' }
 */
export function applyOverrides(value: unknown, settings: readonly string[]): unknown {
  const copy = structuredClone(value);
  for (const setting of settings) apply(copy, setting);
  return copy;
}

function apply(root: unknown, setting: string): void {
  const equals = setting.indexOf('=');
  if (equals < 1) {
    const fix = 'write --set key.key=value';
    keepSecretsInText(setting);
    throw equals === 0
      ? new TagstreamError('usage', '--set has a value without a key', { fix })
      : new TagstreamError('usage', `--set ${setting} has no value`, { fix });
  }
  // Values are not shown: they may be secrets.
  const shown = setting.slice(0, equals);
  const keys = shown.split('.');
  const last = keys.pop()!;
  let holder = holderOf(root, shown);
  for (const key of keys) {
    if (Array.isArray(holder) && !/^\d+$/.test(key)) {
      holder = holderOf(itemWith(holder, key), shown);
    }
    if (Object.hasOwn(holder, key)) {
      holder = holderOf(holder[key], shown);
    } else {
      const fresh = {};
      define(holder, key, fresh);
      holder = fresh;
    }
  }
  if (Array.isArray(holder) && !/^\d+$/.test(last))
    holder = holderOf(itemWith(holder, last), shown);
  define(holder, last, parsedValue(shown, setting.slice(equals + 1)));
}

/** A value as YAML has it, but that `-` is the standard input or output, no list. */
function parsedValue(setting: string, text: string): unknown {
  if (text === '-') return text;
  try {
    return parseYaml(text, setting).value;
  } catch (cause) {
    keepSecretsInText(setting.concat('=', text));
    throw new TagstreamError('usage', `the value of --set ${setting} does not parse`, {
      fix: 'it is read as YAML: quote what has colons or braces',
      cause,
    });
  }
}

/** Sets a key as an own property, whatever its name. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  const property = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(holder, key, property);
}

function holderOf(node: unknown, setting: string): Record<string, unknown> {
  if (typeof node === 'object' && node !== null) return node as Record<string, unknown>;
  throw new TagstreamError('usage', `--set ${setting} leads into a value that has no parts`, {
    fix: 'check the path against the pipeline file',
  });
}

/** In a list of stages, the first that has this name. */
function itemWith(list: readonly unknown[], name: string): unknown {
  return list.find(item => typeof item === 'object' && item !== null && Object.hasOwn(item, name));
}
