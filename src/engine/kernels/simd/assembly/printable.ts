/**
 * Decodes the text of `embedding/encode-printable.mjs` from `from` to `end` in place: each byte is one or two printable
 * characters. Returns where the bytes end.
 */
export function decodePrintable(from: usize, end: usize): usize {
  let to = from;
  for (let at = from; at < end; at += 1, to += 1) {
    let place = placeAt(at);
    if (place < 2) {
      at += 1;
      place = 86 * (place + 1) + placeAt(at);
    }
    store<u8>(to, <u8>(place - 10));
  }
  return to;
}

// @ts-expect-error: decorator
@inline
function placeAt(at: usize): i32 {
  const code = <i32>load<u8>(at);
  return code > 92 ? code - 41 : code - 40;
}
