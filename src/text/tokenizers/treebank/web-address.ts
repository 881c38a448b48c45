const scheme = /(?:https?|ftp):\/\/|www\./iy;
const closers = new Set([...`.,;:!?'"’”)]}>…`].map(each => each.charCodeAt(0)));
const letter = /[\p{L}\p{N}]/u;

/**
 * Where the first web or mail address in `text[start, end)` begins, or `end`. A chunk is looked at once for
 * each address in it.
 *
 * @example
 * addressStart('(http://a.org)', 0, 14) // => 1
 * addressStart('<me@a.org>', 0, 10) // => 1
 * addressStart('a@b', 0, 3) // => 3
 */
export function addressStart(text: string, start: number, end: number): number {
  let mail = start;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x40) {
      if (mail < at && mailEnd(text, at, end) > 0) return mail;
      mail = at + 1;
    } else if (!isMailCharacter(unit) || (mail === at && !isAlphanumeric(unit))) {
      mail = at + 1;
    }
    const isFirst = at === start || !letter.test(text[at - 1]!);
    if (isFirst && (unit | 0x20) >= 0x66 && (unit | 0x20) <= 0x77) {
      scheme.lastIndex = at;
      const found = scheme.exec(text);
      if (found !== null && at + found[0].length < end) return at;
    }
  }
  return end;
}

/** Where an address ends that begins at `start`. */
export function addressEnd(text: string, start: number, end: number): number {
  scheme.lastIndex = start;
  if (!scheme.test(text)) return mailEnd(text, text.indexOf('@', start), end);
  let last = start;
  let open = 0;
  while (last < end && !'<>"'.includes(text[last]!)) {
    if (text[last] === '(') open += 1;
    if (text[last] === ')') open -= 1;
    last += 1;
  }
  while (last > start + 1 && closers.has(text.charCodeAt(last - 1))) {
    // A bracket that was opened in the address belongs to it.
    if (text[last - 1] === ')') {
      if (open >= 0) break;
      open += 1;
    }
    last -= 1;
  }
  return last;
}

/** Where the mail address with its `@` at a place ends; 0 if it is none. */
function mailEnd(text: string, at: number, end: number): number {
  let last = at + 1;
  let dot = -1;
  while (last < end && isHostCharacter(text.charCodeAt(last))) {
    if (text[last] === '.') dot = last;
    last += 1;
  }
  while (last > at + 1 && (text[last - 1] === '.' || text[last - 1] === '-')) last -= 1;
  if (dot >= last) for (dot = last - 1; dot > at && text[dot] !== '.'; ) dot -= 1;
  return dot > at + 1 && dot < last ? last : 0;
}

function isHostCharacter(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 0x2d || unit === 0x2e;
}

function isMailCharacter(unit: number): boolean {
  return isHostCharacter(unit) || unit === 0x5f || unit === 0x2b;
}

function isAlphanumeric(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39)
  );
}
