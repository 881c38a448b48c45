// Skips JSON values without parsing them. The caller must have put a line end and 32 zero bytes
// after the text: no function passes a line end, so none has to check bounds. An address of 0 means
// "not JSON".

/** Maximum nesting depth to skip; anything deeper is left to the general reader. */
const deepest: i32 = 64;

const quote: u32 = 34;
const comma: u32 = 44;
const colon: u32 = 58;
const backslash: u32 = 92;

/** Returns the first byte from `at` on that is not a blank, tab or carriage return. */
// @ts-expect-error: decorator
@inline
export function afterBlanks(at: usize): usize {
  let c = load<u8>(at);
  while (c == 32 || c == 9 || c == 13) {
    at += 1;
    c = load<u8>(at);
  }
  return at;
}

/** Returns the closing quote of a string whose text begins at `at`; 0 if it is not a JSON string. */
// @ts-expect-error: decorator
@inline
export function closingQuote(at: usize): usize {
  const stop = stopFrom(at);
  return load<u8>(stop) == quote ? stop : closingQuoteFrom(stop);
}

/** Returns the first quote, backslash or control character. */
// @ts-expect-error: decorator
@inline
function stopFrom(at: usize): usize {
  while (true) {
    const v = v128.load(at);
    const stops = v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(34)), i8x16.eq(v, i8x16.splat(92))),
      i8x16.lt_u(v, i8x16.splat(32)),
    );
    const bits = i8x16.bitmask(stops);
    if (bits != 0) return at + <usize>ctz<i32>(bits);
    at += 16;
  }
}

function closingQuoteFrom(stop: usize): usize {
  let at = stop;
  while (load<u8>(at) == backslash) {
    at = afterEscape(at + 1);
    if (at == 0) return 0;
    at = stopFrom(at);
  }
  return load<u8>(at) == quote ? at : 0;
}

/** Returns the end of an escape whose letter is at `at`. */
function afterEscape(at: usize): usize {
  const c = <u32>load<u8>(at);
  // b f n r t, quote, backslash and slash
  if (c == 98 || c == 102 || c == 110 || c == 114 || c == 116) return at + 1;
  if (c == quote || c == backslash || c == 47) return at + 1;
  if (c != 117) return 0;
  for (let i: usize = 1; i <= 4; i += 1) {
    const digit = <u32>load<u8>(at + i);
    const letter = digit | 32;
    if (digit - 48 > 9 && letter - 97 > 5) return 0;
  }
  return at + 5;
}

/** Returns the end of a number. */
export function afterNumber(at: usize): usize {
  if (load<u8>(at) == 45) at += 1;
  if (load<u8>(at) == 48) at += 1;
  else at = afterDigits(at);
  if (at != 0 && load<u8>(at) == 46) at = afterDigits(at + 1);
  if (at == 0 || (load<u8>(at) | 32) != 101) return at;
  const sign = <u32>load<u8>(at + 1);
  return afterDigits(sign == 43 || sign == 45 ? at + 2 : at + 1);
}

/** Returns the end of one or more digits. */
function afterDigits(at: usize): usize {
  const first = at;
  while (<u32>load<u8>(at) - 48 <= 9) at += 1;
  return at == first ? 0 : at;
}

/** Returns the end of any value. */
export function afterValue(at: usize, depth: i32 = 0): usize {
  const c = <u32>load<u8>(at);
  if (c == quote) {
    const end = closingQuote(at + 1);
    return end == 0 ? 0 : end + 1;
  }
  if (c == 123 || c == 91) return depth == deepest ? 0 : afterNested(at, c == 123, depth);
  if (c == 116) return load<u32>(at) == 0x65757274 ? at + 4 : 0;
  if (c == 110) return load<u32>(at) == 0x6c6c756e ? at + 4 : 0;
  if (c == 102) return load<u32>(at + 1) == 0x65736c61 ? at + 5 : 0;
  return afterNumber(at);
}

/** Returns the end of an object or array. */
function afterNested(at: usize, isObject: bool, depth: i32): usize {
  // The code of a closing bracket or brace is that of the opening one plus two.
  const close = <u32>load<u8>(at) + 2;
  at = afterBlanks(at + 1);
  if (load<u8>(at) == close) return at + 1;
  while (true) {
    if (isObject) {
      if (load<u8>(at) != quote) return 0;
      at = closingQuote(at + 1);
      if (at == 0) return 0;
      at = afterBlanks(at + 1);
      if (load<u8>(at) != colon) return 0;
      at = afterBlanks(at + 1);
    }
    at = afterValue(at, depth + 1);
    if (at == 0) return 0;
    at = afterBlanks(at);
    const c = <u32>load<u8>(at);
    if (c == close) return at + 1;
    if (c != comma) return 0;
    at = afterBlanks(at + 1);
  }
}
