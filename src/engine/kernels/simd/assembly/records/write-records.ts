import { afterBlanks, closingQuote } from './json';
import { recordBytes } from './read-records';
import { copied } from './write-rows';

// Writes the NDJSON records read by `readRecords` with their labels. A work order is a table of words:
//
//   0 records   4 first record   8 end of the records   12 where to write
//  16 labels, starting with that of the first record's first token
//  20 (address, length) of each label's text, which ends with a comma
//  24 whether records are written whole; otherwise in their shortest form
//  28 a byte for each label pair (from, to): 1 if a span starts at `to`, 2 if the span of `from` ends before it; the
//     last row is for first tokens. 0 if spans are not written   32 number of labels
//  36 (address, length) of `{"label":...,"start":` for each label with which a span starts
//  40 (address, length) for each record of the text after its spans, or 0
//  44 (address, length) for each span of the text after its end, or 0
//  48 (address, length) of each token of texts, which are then written with offsets and sentences, or 0
//  52 (start, end) of each token in UTF-16 units of its text
//  56 ends of sentences, as token numbers over all records
//  60 (address, length) of `"key":{` if results go below a key, or 0
//
// Up to 15 bytes past the end of the output are overwritten, and as many past the end of texts are read.

const quote: u8 = 34;
const startsSpan: u32 = 1;
const endsSpan: u32 = 2;

/** The next entries at `44` and at `56`. */
let spanExtra: usize = 0;
let sentence: usize = 0;

/** Writes records one after the other; returns the end of the output. */
export function writeRecords(order: usize): usize {
  const records = load<usize>(order);
  const end = load<u32>(order, 8);
  const isWhole = load<u32>(order, 24) != 0;
  let index = load<u32>(order, 4);
  let labels = load<usize>(order, 16);
  let out = load<usize>(order, 12);
  let token = index == 0 ? 0 : load<u32>(records + <usize>(index - 1) * recordBytes);
  spanExtra = load<usize>(order, 44);
  sentence = load<usize>(order, 56);
  for (; index < end; index += 1) {
    const record = records + <usize>index * recordBytes;
    const tokens = load<u32>(record) - token;
    out = isWhole
      ? writeWhole(order, record, index, labels, token, tokens, out)
      : writeShort(order, record, labels, tokens, out);
    token += tokens;
    labels += <usize>tokens << 2;
  }
  return out;
}

/** `{"id":...,"tags":[...]}` */
function writeShort(order: usize, record: usize, labels: usize, tokens: u32, out: usize): usize {
  const idBytes = load<usize>(record, 8);
  store<u8>(out, 123);
  out += 1;
  if (idBytes != 0) {
    // "id":
    store<u64>(out, 0x3a22646922);
    out = copied(load<usize>(record, 4), idBytes, out + 5);
    store<u8>(out, 44);
    out += 1;
  }
  out = writeTags(order, labels, tokens, out);
  store<u16>(out, 0x0a7d);
  return out + 2;
}

/**
 * Writes the record's original bytes, with `tags` renamed to `gold`, and the results before the closing brace.
 */
function writeWhole(
  order: usize,
  record: usize,
  index: u32,
  labels: usize,
  token: u32,
  tokens: u32,
  out: usize,
): usize {
  let from = load<usize>(record, 12);
  let lineEnd = from + load<usize>(record, 16);
  // Windows line ends are not kept.
  if (load<u8>(lineEnd - 1) == 13) lineEnd -= 1;
  const tagsName = load<usize>(record, 28);
  const valuesEnd = load<usize>(record, 32);
  if (tagsName != 0) {
    out = copied(from, tagsName - from, out);
    // "gold"
    store<u64>(out, 0x22646c6f6722);
    out += 6;
    from = tagsName + 6;
  }
  out = copied(from, valuesEnd - from, out);
  store<u8>(out, 44);
  out += 1;
  const key = load<usize>(order, 60);
  if (key != 0) out = copied(load<usize>(key), load<usize>(key, 4), out);
  const isText = load<usize>(order, 48) != 0;
  if (isText) out = writeDivision(order, token, tokens, out);
  out = writeTags(order, labels, tokens, out);
  if (load<usize>(order, 28) != 0) {
    out = writeSpans(order, load<usize>(record, 24), labels, token, tokens, out);
  }
  if (isText) sentence = afterSentences(token + tokens);
  const extras = load<usize>(order, 40);
  if (extras != 0) {
    const extra = extras + (<usize>index << 3);
    out = copied(load<usize>(extra), load<usize>(extra, 4), out);
  }
  if (key != 0) {
    store<u8>(out, 125);
    out += 1;
  }
  out = copied(valuesEnd, lineEnd - valuesEnd, out);
  store<u8>(out, 10);
  return out + 1;
}

/** `"tags":[...]` */
function writeTags(order: usize, labels: usize, tokens: u32, out: usize): usize {
  // "tags":[
  store<u64>(out, 0x5b3a227367617422);
  out = writeLabels(labels, tokens, load<usize>(order, 20), out + 8);
  // Overwrites the last comma.
  store<u8>(out - 1, 93);
  return out;
}

/** Writes labels, each followed by a comma. */
function writeLabels(labels: usize, count: u32, texts: usize, out: usize): usize {
  const end = labels + (<usize>count << 2);
  for (let at = labels; at < end; at += 4) {
    const entry = texts + (<usize>load<u32>(at) << 3);
    out = copied(load<usize>(entry), load<usize>(entry, 4), out);
  }
  return out;
}

/** Writes `"tokens":[...],"offsets":[...],"sentences":[...],` for the tokens of a text, of which there is at least one. */
function writeDivision(order: usize, token: u32, tokens: u32, out: usize): usize {
  const places = load<usize>(order, 48) + (<usize>token << 3);
  const placesEnd = places + (<usize>tokens << 3);
  // "tokens":[
  store<u64>(out, 0x22736e656b6f7422);
  store<u16>(out + 8, 0x5b3a);
  out += 10;
  for (let place = places; place < placesEnd; place += 8) {
    store<u8>(out, quote);
    out = copied(load<usize>(place), load<usize>(place, 4), out + 1);
    // ",
    store<u16>(out, 0x2c22);
    out += 2;
  }
  // ],"offsets":[ with the bracket replacing the last comma
  store<u64>(out - 1, 0x65736666_6f222c5d);
  store<u64>(out + 7, 0x5b3a22_7374);
  out += 12;
  out = writeRanges(load<usize>(order, 52) + (<usize>token << 3), tokens, out);
  // ],"sentences":[
  store<u64>(out - 1, 0x65746e6573222c5d);
  store<u64>(out + 7, 0x5b3a227365636e);
  out += 14;
  let start: u32 = 0;
  for (let at = sentence; start < tokens; at += 4) {
    const end = load<u32>(at) - token;
    out = writeRange(start, end, out);
    start = end;
  }
  store<u16>(out - 1, 0x2c5d);
  return out + 1;
}

/** Returns the address after the first sentence end not before `token`, searching from `sentence` on. */
function afterSentences(token: u32): usize {
  let at = sentence;
  while (load<u32>(at) < token) at += 4;
  return at + 4;
}

function writeRanges(ranges: usize, count: u32, out: usize): usize {
  const end = ranges + (<usize>count << 3);
  for (let at = ranges; at < end; at += 8) {
    out = writeRange(load<u32>(at), load<u32>(at, 4), out);
  }
  return out;
}

/** `[start,end],` */
// @ts-expect-error: decorator
@inline
function writeRange(start: u32, end: u32, out: usize): usize {
  store<u8>(out, 91);
  out = writeNumber(start, out + 1);
  store<u8>(out, 44);
  out = writeNumber(end, out + 1);
  store<u16>(out, 0x2c5d);
  return out + 2;
}

/**
 * Writes `{"label":...,"start":...,"end":...,"text":"`, with the additions to the span.
 *
 * @param ranges offsets of the record's tokens in its text, also written for the span; or 0
 */
function writeSpanHead(
  order: usize,
  label: u32,
  start: u32,
  end: u32,
  ranges: usize,
  out: usize,
): usize {
  const head = load<usize>(order, 36) + (<usize>label << 3);
  out = copied(load<usize>(head), load<usize>(head, 4), out);
  out = writeNumber(start, out);
  // ,"end":
  store<u64>(out, 0x3a22646e65222c);
  out = writeNumber(end, out + 7);
  if (ranges != 0) {
    // ,"offsets":
    store<u64>(out, 0x657366666f222c);
    store<u32>(out + 7, 0x3a227374);
    const from = load<u32>(ranges + (<usize>start << 3));
    // Overwrites the comma after the range.
    out = writeRange(from, load<u32>(ranges + (<usize>(end - 1) << 3), 4), out + 11) - 1;
  }
  if (spanExtra != 0) {
    out = copied(load<usize>(spanExtra), load<usize>(spanExtra, 4), out);
    spanExtra += 8;
  }
  // ,"text":"
  store<u64>(out, 0x3a2274786574222c);
  store<u8>(out + 8, quote);
  return out + 9;
}

/** The token array of the record whose spans are written, from before token number `reached` on. */
let tokensAt: usize = 0;
let reached: u32 = 0;

/**
 * Writes `,"spans":[...]` by the rules of `spansOf`, for each sentence separately; `at` is the address of the
 * record's token array, if it has one.
 */
function writeSpans(
  order: usize,
  at: usize,
  labels: usize,
  token: u32,
  tokens: u32,
  out: usize,
): usize {
  const pairs = load<usize>(order, 28);
  const count = load<u32>(order, 32);
  const isText = load<usize>(order, 48) != 0;
  const places = load<usize>(order, 48) + (<usize>token << 3);
  const ranges = isText ? load<usize>(order, 52) + (<usize>token << 3) : 0;
  tokensAt = at;
  reached = 0;
  // ,"spans":[
  store<u64>(out, 0x22736e617073222c);
  store<u16>(out + 8, 0x5b3a);
  out += 10;
  const first = out;
  let ends = sentence;
  let sentenceEnd = isText ? load<u32>(ends) - token : tokens;
  let previous = count;
  let isOpen = false;
  let start: u32 = 0;
  let startLabel: u32 = 0;
  for (let t: u32 = 0; t <= tokens; t += 1) {
    const endsHere = t == sentenceEnd;
    if (endsHere) {
      // Each sentence starts like the first, without a previous label.
      previous = count;
      ends += 4;
      if (t < tokens) sentenceEnd = load<u32>(ends) - token;
    }
    const label = t == tokens ? 0 : load<u32>(labels + (<usize>t << 2));
    let kind = t == tokens ? 0 : <u32>load<u8>(pairs + <usize>(previous * count + label));
    if (endsHere) kind |= endsSpan;
    if (isOpen && (kind & endsSpan) != 0) {
      out = writeSpanHead(order, startLabel, start, t, ranges, out);
      out = isText ? writeTextOf(places, start, t, out) : writeTokens(start, t, out);
      // "},
      store<u32>(out, 0x2c7d22);
      out += 3;
      isOpen = false;
    }
    if ((kind & startsSpan) != 0) {
      isOpen = true;
      start = t;
      startLabel = label;
    }
    previous = label;
  }
  // Overwrites the last comma, if there is one.
  if (out != first) out -= 1;
  store<u8>(out, 93);
  return out + 1;
}

/** Writes the text from the first to the last token of a span. */
function writeTextOf(places: usize, start: u32, end: u32, out: usize): usize {
  const from = load<usize>(places + (<usize>start << 3));
  const last = places + (<usize>(end - 1) << 3);
  return copied(from, load<usize>(last) + load<usize>(last, 4) - from, out);
}

/** Writes the tokens of a span, separated by blanks, from the array at `tokensAt`. */
function writeTokens(start: u32, end: u32, out: usize): usize {
  for (; reached < start; reached += 1) tokensAt = afterToken(tokensAt);
  for (; reached < end; reached += 1) {
    const text = afterBlanks(tokensAt + 1) + 1;
    const close = closingQuote(text);
    out = copied(text, close - text, out);
    store<u8>(out, 32);
    out += 1;
    tokensAt = afterBlanks(close + 1);
  }
  // Drops the last blank.
  return out - 1;
}

/** Returns the comma or bracket after the next token. */
// @ts-expect-error: decorator
@inline
function afterToken(at: usize): usize {
  return afterBlanks(closingQuote(afterBlanks(at + 1) + 1) + 1);
}

function writeNumber(number: u32, out: usize): usize {
  let digits: usize = 1;
  for (let rest = number; rest >= 10; rest /= 10) digits += 1;
  for (let at = out + digits; at > out; number /= 10) {
    at -= 1;
    store<u8>(at, <u8>(48 + (number % 10)));
  }
  return out + digits;
}
