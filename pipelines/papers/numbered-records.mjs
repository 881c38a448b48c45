// Records of a hidden Markov model whose labels emit four numbers from a mixture of two Gaussian densities with
// covariances: node numbered-records.mjs RECORDS SEED > records.ndjson. The model is the same for any seed.

/** Mulberry32, for a sample that is the same everywhere. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
  };
}

const normalOf = uniform => () =>
  Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

const labels = ['A', 'B', 'C'];
const stay = 0.7;
const size = 4;
const fixed = normalOf(generator(7));
const densities = labels.map(() =>
  [0.6, 0.4].map(share => ({
    share,
    mean: Array.from({ length: size }, () => 0.8 * fixed()),
    root: Array.from({ length: size }, () => Array.from({ length: size }, () => 0.6 * fixed())),
  })),
);

const uniform = generator(Number(process.argv[3] ?? 1));
const normal = normalOf(uniform);
for (let i = 0; i < Number(process.argv[2] ?? 100); i += 1) {
  let y = Math.floor(3 * uniform());
  const tags = [];
  const columns = { a: [], b: [], c: [], d: [] };
  for (let t = 0; t < 20; t += 1) {
    if (t > 0 && uniform() > stay) y = (y + 1 + Math.floor(2 * uniform())) % 3;
    const { mean, root } = densities[y][uniform() < densities[y][0].share ? 0 : 1];
    const noise = Array.from({ length: size }, normal);
    Object.values(columns).forEach((column, j) => {
      const x = mean[j] + root[j].reduce((sum, each, k) => sum + each * noise[k], 0.3 * normal());
      column.push(Number(x.toFixed(4)));
    });
    tags.push(labels[y]);
  }
  console.log(JSON.stringify({ tokens: tags.map(() => '-'), tags, columns }));
}
