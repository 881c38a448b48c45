/**
 * Computes the fingerprints of all features of a sentence, four tokens at a time: entry `t * templates +
 * k` of `list` is that of template `k` at token `t`, lo and hi in turn, or 0 if the feature is not
 * active.
 *
 * A template has a header of four words (number of pieces, lo, hi, whether it is computed elsewhere);
 * the pieces follow all headers, four words each: (atom, offset, -, -), or (-1, -, lo, hi) for text.
 * Content 0 means that an atom finds nothing. Up to three tokens past the last one are read and written.
 */
export function combine(
  program: usize,
  templates: i32,
  contentLo: usize,
  contentHi: usize,
  stride: i32,
  margin: i32,
  length: i32,
  list: usize,
): void {
  const rowBytes = <usize>templates << 3;
  let first = program + ((<usize>templates) << 4);
  for (let k = 0; k < templates; k += 1) {
    const header = program + ((<usize>k) << 4);
    const end = first + ((<usize>load<i32>(header)) << 4);
    if (load<i32>(header, 12) == 0) {
      const startLo = v128.load32_splat(header, 4);
      const startHi = v128.load32_splat(header, 8);
      let out = list + ((<usize>k) << 3);
      for (let t = 0; t < length; t += 4) {
        let lo = startLo;
        let hi = startHi;
        let absent = i32x4.splat(0);
        for (let piece = first; piece < end; piece += 16) {
          const atom = load<i32>(piece);
          let x: v128, y: v128;
          if (atom >= 0) {
            const at = (<usize>(atom * stride + margin + load<i32>(piece, 4) + t)) << 2;
            x = v128.load(contentLo + at);
            y = v128.load(contentHi + at);
            absent = v128.or(absent, i32x4.eq(v128.or(x, y), i32x4.splat(0)));
          } else {
            x = v128.load32_splat(piece, 8);
            y = v128.load32_splat(piece, 12);
          }
          lo = i32x4.mul(v128.xor(lo, x), i32x4.splat(0x9e3779b1));
          lo = v128.or(i32x4.shl(lo, 15), i32x4.shr_u(lo, 17));
          hi = i32x4.mul(v128.xor(hi, y), i32x4.splat(0x85ebca77));
          hi = v128.or(i32x4.shl(hi, 13), i32x4.shr_u(hi, 19));
        }
        lo = finished(v128.xor(lo, i32x4.mul(hi, i32x4.splat(0x9e3779b1))));
        hi = finished(v128.xor(hi, i32x4.mul(lo, i32x4.splat(0x85ebca77))));
        lo = v128.andnot(lo, absent);
        hi = v128.andnot(hi, absent);
        const low = v128.shuffle<i32>(lo, hi, 0, 4, 1, 5);
        const high = v128.shuffle<i32>(lo, hi, 2, 6, 3, 7);
        v128.store64_lane(out, low, 0);
        v128.store64_lane(out + rowBytes, low, 1);
        v128.store64_lane(out + 2 * rowBytes, high, 0);
        v128.store64_lane(out + 3 * rowBytes, high, 1);
        out += rowBytes << 2;
      }
    }
    first = end;
  }
}

/** Applies Murmur3's finaliser to each lane. */
// @ts-expect-error: decorator
@inline
function finished(word: v128): v128 {
  let x = v128.xor(word, i32x4.shr_u(word, 16));
  x = i32x4.mul(x, i32x4.splat(0x85ebca6b));
  x = v128.xor(x, i32x4.shr_u(x, 13));
  x = i32x4.mul(x, i32x4.splat(0xc2b2ae35));
  return v128.xor(x, i32x4.shr_u(x, 16));
}
