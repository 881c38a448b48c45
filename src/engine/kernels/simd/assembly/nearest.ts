// Finds the nearest of many centres for each of many points, in float32. Rows are padded to whole vectors of four.

/** Tile sizes of points and centres, chosen to fit into the cache. */
const pointTile: i32 = 64;
const centreTile: i32 = 16;

/**
 * Finds for each of `length` points the centre c with the largest x c + offsets[c], the first on ties; writes its index
 * to `best` and the sum to `scores`. With offsets of -|c|^2 / 2 it is the nearest centre.
 *
 * `count` is a multiple of 4, padded with centres of offset -infinity; `width`, in numbers, likewise.
 */
export function nearestRows(
  points: usize,
  length: i32,
  centres: usize,
  offsets: usize,
  count: i32,
  width: i32,
  best: usize,
  scores: usize,
): void {
  const stride = (<usize>width) << 2;
  for (let tile = 0; tile < length; tile += pointTile) {
    const end = min(tile + pointTile, length);
    for (let p = tile; p < end; p += 1) {
      store<f32>(scores + ((<usize>p) << 2), -f32.MAX_VALUE);
      store<i32>(best + ((<usize>p) << 2), 0);
    }
    for (let first = 0; first < count; first += centreTile) {
      const last = min(first + centreTile, count);
      for (let p = tile; p < end; p += 2) {
        // If their number is odd, the last point is processed twice, with the same result.
        const q = min(p + 1, end - 1);
        for (let c = first; c < last; c += 4) {
          fourCentres(
            points + <usize>p * stride,
            points + <usize>q * stride,
            centres + <usize>c * stride,
            stride,
            offsets + ((<usize>c) << 2),
            c,
            ((<usize>p) << 2),
            ((<usize>q) << 2),
            best,
            scores,
          );
        }
      }
    }
  }
}

// @ts-expect-error: decorator
@inline
function fourCentres(
  x: usize,
  y: usize,
  centre: usize,
  stride: usize,
  offsets: usize,
  c: i32,
  p: usize,
  q: usize,
  best: usize,
  scores: usize,
): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  const c1 = centre + stride;
  const c2 = c1 + stride;
  const c3 = c2 + stride;
  for (let at: usize = 0; at < stride; at += 16) {
    const u = v128.load(x + at);
    const v = v128.load(y + at);
    const w0 = v128.load(centre + at);
    a0 = f32x4.add(a0, f32x4.mul(u, w0));
    b0 = f32x4.add(b0, f32x4.mul(v, w0));
    const w1 = v128.load(c1 + at);
    a1 = f32x4.add(a1, f32x4.mul(u, w1));
    b1 = f32x4.add(b1, f32x4.mul(v, w1));
    const w2 = v128.load(c2 + at);
    a2 = f32x4.add(a2, f32x4.mul(u, w2));
    b2 = f32x4.add(b2, f32x4.mul(v, w2));
    const w3 = v128.load(c3 + at);
    a3 = f32x4.add(a3, f32x4.mul(u, w3));
    b3 = f32x4.add(b3, f32x4.mul(v, w3));
  }
  const four = v128.load(offsets);
  keep(f32x4.add(sums(a0, a1, a2, a3), four), c, best + p, scores + p);
  keep(f32x4.add(sums(b0, b1, b2, b3), four), c, best + q, scores + q);
}

/** Returns the lane sums of four vectors. */
// @ts-expect-error: decorator
@inline
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(
    v128.shuffle<f32>(a, b, 0, 4, 1, 5),
    v128.shuffle<f32>(a, b, 2, 6, 3, 7),
  );
  const cd = f32x4.add(
    v128.shuffle<f32>(c, d, 0, 4, 1, 5),
    v128.shuffle<f32>(c, d, 2, 6, 3, 7),
  );
  return f32x4.add(
    v128.shuffle<f32>(ab, cd, 0, 1, 4, 5),
    v128.shuffle<f32>(ab, cd, 2, 3, 6, 7),
  );
}

// @ts-expect-error: decorator
@inline
function keep(four: v128, c: i32, best: usize, score: usize): void {
  const before = load<f32>(score);
  if (!v128.any_true(f32x4.gt(four, f32x4.splat(before)))) return;
  let most = before;
  let at = load<i32>(best);
  const s0 = f32x4.extract_lane(four, 0);
  if (s0 > most) {
    most = s0;
    at = c;
  }
  const s1 = f32x4.extract_lane(four, 1);
  if (s1 > most) {
    most = s1;
    at = c + 1;
  }
  const s2 = f32x4.extract_lane(four, 2);
  if (s2 > most) {
    most = s2;
    at = c + 2;
  }
  const s3 = f32x4.extract_lane(four, 3);
  if (s3 > most) {
    most = s3;
    at = c + 3;
  }
  store<f32>(score, most);
  store<i32>(best, at);
}
