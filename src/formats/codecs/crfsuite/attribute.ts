/**
 * An attribute of an item in CRFsuite's data: its name, an optional value after `=`, and an optional weight after a
 * colon.
 */
export interface Attribute {
  readonly name: string;
  /** Value after `=`; empty if there is none. */
  readonly value: string;
  /** Weight after the colon; undefined means 1. */
  readonly weight: number | undefined;
}

/**
 * Reads an attribute. A backslash escapes a colon or backslash in the name; a colon before anything but a
 * number also belongs to it, because many writers omit the backslash.
 *
 * @example
 * readAttribute('w[0]=a\\:b') // => ({ name: 'w[0]', value: 'a:b', weight: undefined })
 * readAttribute('size:0.5') // => ({ name: 'size', value: '', weight: 0.5 })
 */
export function readAttribute(text: string): Attribute {
  const [, whole = '', number] =
    /^((?:\\.|[^\\])*?)(?::(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?))?$/s.exec(text) ?? [text, text];
  const plain = whole.replace(/\\([\\:])/g, '$1');
  const at = plain.indexOf('=');
  const weight = number === undefined ? undefined : Number(number);
  return at <= 0
    ? { name: plain, value: '', weight }
    : { name: plain.slice(0, at), value: plain.slice(at + 1), weight };
}

/**
 * Formats an attribute, with backslashes where needed.
 *
 * @example
 * writeAttribute('w[0]', 'a:b') // => 'w[0]=a\\:b'
 */
export function writeAttribute(name: string, value: string | number): string {
  const escaped = (text: string) => text.replace(/[\\:]/g, '\\$&');
  return typeof value === 'number'
    ? `${escaped(name)}:${value}`
    : `${escaped(name)}=${escaped(value)}`;
}
