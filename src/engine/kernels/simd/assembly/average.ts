/**
 * Brings rows of an exponential average up to date; for the formulas see reference/reference-kernel.ts. `factors` has four float64
 * per row: the kept share, the gain and loss of the row, and the scale of its weights. `lanes` has the gains of all lanes,
 * followed by their losses; `most` is the largest gain of a lane.
 */
export function averageRows<T>(
  averages: usize,
  weights: usize,
  rows: usize,
  factors: usize,
  count: u32,
  width: i32,
  lanes: usize,
  most: f64,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const losses = lanes + ((<usize>width) << 3);
  for (let i: u32 = 0; i < count; i += 1) {
    const row = <usize>load<u32>(rows + ((<usize>i) << 2)) * rowBytes;
    const own = factors + ((<usize>i) << 5);
    const kept = load<f64>(own);
    const gain = load<f64>(own, 8);
    const loss = load<f64>(own, 16);
    const scale = load<f64>(own, 24);
    if (gain >= most) {
      const factor = max<f64>(0, kept * gain - loss);
      averageRow<T>(averages + row, weights + row, rowBytes, factor, scale);
    } else {
      averageLanes<T>(averages + row, weights + row, rowBytes, kept, gain, loss, scale, lanes, losses);
    }
  }
}

/** Brings a row up to date whose lanes share one factor. */
// @ts-expect-error: decorator
@inline
function averageRow<T>(average: usize, weight: usize, bytes: usize, factor: f64, scale: f64): void {
  const f = v128.splat<T>(<T>factor);
  const s = v128.splat<T>(<T>scale);
  for (let at: usize = 0; at < bytes; at += 16) {
    const mean = v128.mul<T>(s, v128.load(weight + at));
    const apart = v128.sub<T>(v128.load(average + at), mean);
    v128.store(average + at, v128.add<T>(mean, v128.mul<T>(f, apart)));
  }
}

/** Brings a row up to date that is older than some labels, so that its lanes have separate float64 factors. */
function averageLanes<T>(
  average: usize,
  weight: usize,
  bytes: usize,
  keptOfAll: f64,
  rowGain: f64,
  rowLoss: f64,
  scaleOfAll: f64,
  lanes: usize,
  lost: usize,
): void {
  const kept = f64x2.splat(keptOfAll);
  const gain = f64x2.splat(rowGain);
  const loss = f64x2.splat(rowLoss);
  const scale = v128.splat<T>(<T>scaleOfAll);
  let gains = lanes;
  let losses = lost;
  for (let at: usize = 0; at < bytes; at += 16) {
    let factor = factorsOf(kept, gain, loss, gains, losses);
    gains += 16;
    losses += 16;
    if (sizeof<T>() == 4) {
      const next = factorsOf(kept, gain, loss, gains, losses);
      gains += 16;
      losses += 16;
      const low = f32x4.demote_f64x2_zero(factor);
      factor = v128.shuffle<i32>(low, f32x4.demote_f64x2_zero(next), 0, 1, 4, 5);
    }
    const mean = v128.mul<T>(scale, v128.load(weight + at));
    const apart = v128.sub<T>(v128.load(average + at), mean);
    v128.store(average + at, v128.add<T>(mean, v128.mul<T>(factor, apart)));
  }
}

/** Returns max(0, kept * gain - loss) of two lanes. */
// @ts-expect-error: decorator
@inline
function factorsOf(kept: v128, gain: v128, loss: v128, gains: usize, losses: usize): v128 {
  const most = f64x2.mul(kept, f64x2.max(gain, v128.load(gains)));
  return f64x2.max(f64x2.splat(0), f64x2.sub(most, f64x2.max(loss, v128.load(losses))));
}
