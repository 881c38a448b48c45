import { itemSpans, type Member, memberSpans } from './member-spans.js';

/** Treatment of a member: true keeps it, false removes it, a text replaces it. */
export type MemberFate = true | false | string;

/**
 * Removes, rewrites and adds members in the text of an object; all other text stays byte for byte. All writers of JSON
 * records use this function, so no other bytes can change. A member is removed with its comma. Time is linear in the
 * text.
 *
 * @param raw valid JSON text of an object
 * @param the members of `raw`
 * @param fateOf called for each member
 * @param added members as JSON text, `"name":value`, written after all others
 * @example
 * const raw = '{"a": 1.0, "b": 2 }';
 * const { members } = new JsonText(raw);
 * spliceMembers(raw, members, ({ key }) => key === 'a', ['"c":3']) // => '{"a": 1.0,"c":3 }'
 */
export function spliceMembers(
  raw: string,
  members: readonly Member[],
  fateOf: (member: Member) => MemberFate,
  added: readonly string[],
): string {
  const open = raw.indexOf('{') + 1;
  let text = raw.slice(0, members[0]?.keyStart ?? open);
  let isEmpty = true;
  let previousEnd = 0;
  for (const member of members) {
    const fate = fateOf(member);
    if (fate !== false) {
      if (!isEmpty) text += raw.slice(previousEnd, member.keyStart);
      text += fate === true ? raw.slice(member.keyStart, member.valueEnd) : fate;
      isEmpty = false;
    }
    previousEnd = member.valueEnd;
  }
  if (!isEmpty && added.length > 0) text += ',';
  return text + added.join(',') + raw.slice(members.at(-1)?.valueEnd ?? open);
}

/** Path in a JSON value: keys of members, and indexes of items as text. */
export type JsonPath = readonly string[];

/**
 * JSON text whose parts can be replaced without changing any other byte.
 *
 * If members are duplicate, the last one counts, as in `JSON.parse`.
 *
 * @example
 * const json = new JsonText('{"n": 1.0, "list": [1e400, {"a": "\\u0041"}]}');
 * json.at(['list', '1']).text // => '{"a": "\\u0041"}'
 * json.with({ list: undefined, m: 2 }).text // => '{"n": 1.0,"m":2}'
 * json.withAt(['list', '1', 'a'], 'B').text // => '{"n": 1.0, "list": [1e400, {"a": "B"}]}'
 */
export class JsonText {
  readonly text: string;
  #value: unknown;
  #members: readonly Member[] | undefined;

  /** @param text valid JSON */
  constructor(text: string) {
    this.text = text;
  }

  /** Value according to `JSON.parse`. */
  get value(): unknown {
    this.#value ??= JSON.parse(this.text);
    return this.#value;
  }

  get isObject(): boolean {
    return /^[\s]*\{/.test(this.text);
  }

  /** The members of an object; empty for other values. */
  get members(): readonly Member[] {
    this.#members ??= this.isObject ? memberSpans(this.text) : [];
    return this.#members;
  }

  /** The items of an array. */
  get items(): readonly JsonText[] {
    return itemSpans(this.text).map(({ start, end }) => new JsonText(this.text.slice(start, end)));
  }

  /** Returns the value at a path; undefined if there is none. */
  at(path: JsonPath): JsonText | undefined {
    const [key, ...rest] = path;
    if (key === undefined) return this;
    return this.#part(key)?.at(rest);
  }

  /** Returns an object with changed values; undefined removes a member, and new members come last. */
  with(changes: Readonly<Record<string, unknown>>): JsonText {
    const { text, members } = this;
    const lasts = new Map(members.map(member => [member.key, member]));
    const fateOf = (member: Member): MemberFate => {
      if (!Object.hasOwn(changes, member.key)) return true;
      const value = changes[member.key];
      if (value === undefined || lasts.get(member.key) !== member) return false;
      return text.slice(member.keyStart, member.valueStart) + jsonText(value);
    };
    const added = Object.entries(changes)
      .filter(([name, value]) => value !== undefined && !lasts.has(name))
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`);
    return new JsonText(spliceMembers(text, members, fateOf, added));
  }

  /**
   * Replaces members of the object at a key: removes those for which `isOurs` is true, and adds the new ones at the
   * end. A missing or null object is created. Undefined if the key has another value.
   *
   * @param added members as JSON text, `"name":value`
   */
  putBelow(
    key: string,
    added: readonly string[],
    isOurs: (name: string) => boolean,
  ): JsonText | undefined {
    const { text, members } = this;
    const member = members.findLast(one => one.key === key);
    const made = `{${added.join(',')}}`;
    if (member === undefined) {
      const all = [`${JSON.stringify(key)}:${made}`];
      return new JsonText(spliceMembers(text, members, () => true, all));
    }
    const inner = new JsonText(text.slice(member.valueStart, member.valueEnd));
    const isNull = inner.text === 'null';
    if (!isNull && !inner.isObject) return undefined;
    const own = isNull
      ? made
      : spliceMembers(inner.text, inner.members, one => !isOurs(one.key), added);
    return new JsonText(text.slice(0, member.valueStart) + own + text.slice(member.valueEnd));
  }

  /** Returns the JSON with a different value at a path, of which all but the last step must exist. */
  withAt(path: JsonPath, value: unknown): JsonText {
    const [key, ...rest] = path;
    if (key === undefined) return new JsonText(jsonText(value));
    const inner = rest.length === 0 ? value : this.#part(key)?.withAt(rest, value);
    if (inner === undefined) return this;
    if (this.isObject) return this.with({ [key]: inner });
    const place = itemSpans(this.text)[Number(key)];
    if (place === undefined) return this;
    const [before, after] = [this.text.slice(0, place.start), this.text.slice(place.end)];
    return new JsonText(before + jsonText(inner) + after);
  }

  /** Returns the value for `JSON.stringify`, which formats numbers and escapes in its own way. */
  toJSON(): unknown {
    return this.value;
  }

  #part(key: string): JsonText | undefined {
    const { text } = this;
    if (this.isObject) {
      const member = this.members.findLast(one => one.key === key);
      return member && new JsonText(text.slice(member.valueStart, member.valueEnd));
    }
    return /^[\s]*\[/.test(text) ? this.items[Number(key)] : undefined;
  }
}

/**
 * Serialises a value like `JSON.stringify`, but leaves any `JsonText` in it unchanged.
 *
 * @example
 * jsonText({ a: [new JsonText('1.0'), 2], b: undefined }) // => '{"a":[1.0,2]}'
 */
export function jsonText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${JSON.stringify(name)}:${jsonText(each)}`);
  return `{${members.join(',')}}`;
}
