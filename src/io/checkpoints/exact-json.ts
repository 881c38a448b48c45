import { TagstreamError } from '../../core/errors.js';

/**
 * JSON text that `JSON.parse` turns back into exactly the same value: `-0` stays `-0`, and what JSON
 * would silently change or drop is refused. Properties that are undefined are left out.
 *
 * @param where name of the value in errors
 * @throws TagstreamError `checkpoint` that names the place of a number that is not finite, or of
 * anything but null, booleans, numbers, strings, arrays and plain objects
 * @example
 * exactJson({ rate: -0, steps: [1, 2.5] }, 'schedule') // => '{"rate":-0,"steps":[1,2.5]}'
 */
export function exactJson(value: unknown, where: string): string {
  return write(value, [where]);
}

/** `path` leads to `value`; it is only made into a text where there is an error to report. */
function write(value: unknown, path: (string | number)[]): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') {
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refused(`the number ${value}`, path);
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (Array.isArray(value)) return `[${writeItems(value, path).join(',')}]`;
  if (typeof value !== 'object' || !isPlain(value)) throw refused(nameOf(value), path);
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    path.push(key);
    members.push(`${JSON.stringify(key)}:${write(member, path)}`);
    path.pop();
  }
  return `{${members.join(',')}}`;
}

function writeItems(items: readonly unknown[], path: (string | number)[]): string[] {
  const texts: string[] = [];
  // An index loop: `map` would pass over holes, which must be refused.
  for (let i = 0; i < items.length; i += 1) {
    path.push(i);
    texts.push(write(items[i], path));
    path.pop();
  }
  return texts;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return `an object of class ${value.constructor.name}`;
}

function refused(what: string, path: readonly (string | number)[]): TagstreamError {
  const where = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return new TagstreamError(
    'checkpoint',
    `${what} at ${where.slice(1)} cannot be kept in a checkpoint`,
    {
      fix: 'keep JSON values with finite numbers in json, and typed arrays in arrays',
    },
  );
}
