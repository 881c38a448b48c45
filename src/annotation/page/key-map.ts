/** Meaning of a key: a command, or a label by its number. */
export type Meaning = Command | number;

const stored = 'tagstream-keys';

/** The changeable keys of commands and labels; changes are stored in the browser. */
export class KeyMap {
  readonly #keys = new Map<Meaning, string>();

  /** @param labels number of labels */
  constructor(labels: number) {
    for (const [command, key] of commands) this.#keys.set(command, key);
    for (const [i, key] of labelKeys.slice(0, labels).entries()) this.#keys.set(i, key);
    for (const [name, key] of Object.entries(changes())) {
      const meaning = /^\d+$/.test(name) ? Number(name) : (name as Command);
      if (this.#keys.has(meaning) && typeof key === 'string') this.#keys.set(meaning, key);
    }
  }

  keyOf(meaning: Meaning): string {
    return this.#keys.get(meaning) ?? '';
  }

  /** Returns the meaning of a pressed key, whatever the layout of the keyboard; see `keysOf`. */
  meaningOf(pressed: PressedKey): Meaning | undefined {
    for (const key of keysOf(pressed)) {
      const meaning = this.#meaning(key);
      if (meaning !== undefined) return meaning;
    }
    return undefined;
  }

  #meaning(key: string): Meaning | undefined {
    for (const [meaning, own] of this.#keys) if (own === key) return meaning;
    return undefined;
  }

  /** Assigns a key to another meaning; the two meanings swap keys. */
  change(meaning: Meaning, pressed: PressedKey): void {
    const key = keysOf(pressed)[0]!;
    const other = this.#meaning(key);
    if (other !== undefined) this.#keys.set(other, this.keyOf(meaning));
    this.#keys.set(meaning, key);
    localStorage.setItem(stored, JSON.stringify(Object.fromEntries(this.#keys)));
  }
}

/** A key as a keyboard event describes it. */
export type PressedKey = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'getModifierState'>;

/** Characters of keys other than letters and digits on a keyboard of the United States, by code. */
const characters: Readonly<Record<string, string>> = {
  ...{ BracketLeft: '[', BracketRight: ']', Period: '.', Comma: ',', Slash: '/' },
};

/**
 * Returns the keys that a pressed key may be, the best first: the character that it types, without the capitals lock; and the
 * character at its place on a Latin keyboard, if the layout types no Latin character there, or none for digits.
 *
 * @example
 * const pressed = (key, code) => ({ key, code, shiftKey: false, getModifierState: () => false });
 * keysOf(pressed('ы', 'KeyS')) // => ['ы', 's']
 * keysOf(pressed('&', 'Digit1')) // => ['&', '1']
 * keysOf(pressed('o', 'KeyS')) // => ['o']
 */
export function keysOf(pressed: PressedKey): readonly string[] {
  const { key, code, shiftKey } = pressed;
  const isLocked = pressed.getModifierState('CapsLock') && !shiftKey;
  const typed = isLocked ? key.toLowerCase() : key;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  if (digit !== undefined) return [typed, digit];
  // Dead keys and others without a character are named by several letters, as are Enter and Home.
  const isLatin = /^[\x20-\x7e]$/.test(key);
  if (isLatin || (key.length > 1 && key !== 'Dead' && key !== 'Unidentified')) return [typed];
  const letter = /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase();
  const placed = letter ?? (code === 'Slash' && shiftKey ? '?' : characters[code]);
  return placed === undefined ? [typed] : [typed, placed];
}

function changes(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(stored) ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Commands with their default keys. Labels have their own keys. */
export const commands = [
  ['accept', 'Enter', 'accept, next record'],
  ['clear', 'Backspace', 'no label here'],
  ['reject', 'r', 'reject the record'],
  ['skip', 's', 'skip it'],
  ['flag', 'f', 'flag it with a note'],
  ['undo', 'u', 'undo'],
  ['nextSpan', ']', 'next span'],
  ['previousSpan', '[', 'previous span'],
  ['nextUnsure', '.', 'next unsure token'],
  ['previousUnsure', ',', 'previous unsure token'],
  ['first', 'Home', 'first token'],
  ['last', 'End', 'last token'],
  ['why', 'w', 'why, and alternatives'],
  ['search', '/', 'search'],
  ['answers', 'o', 'open an answered record'],
  ['jump', 'j', 'jump to a record'],
  ['agreement', 'a', 'inter-annotator agreement'],
  ['save', 'm', 'save the model'],
  ['keys', '?', 'keys'],
] as const;

export type Command = (typeof commands)[number][0];

/** Commands needed for each record, by short name; they stay visible. */
export const mainCommands: ReadonlyMap<Command, string> = new Map([
  ['accept', 'Accept'],
  ['clear', 'No label'],
  ['undo', 'Undo'],
  ['skip', 'Skip'],
  ['reject', 'Reject'],
  ['flag', 'Flag'],
]);

/** Keys for labels, in order; commands use none of them. */
const labelKeys = '1234567890qetyipdghklzxcvbn'.split('');
