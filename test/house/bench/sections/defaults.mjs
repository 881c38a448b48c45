import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from '../processes/command.mjs';
import { measure } from '../processes/measure.mjs';
import { root } from '../processes/root.mjs';
import { median } from '../timing/median.mjs';

const conll = { columns: ['--columns', 'form,pos,tag'] };
const conllu = { columns: ['--tag', 'upos'] };

/** Labelled corpora, each with a file that nothing is trained on. */
const sources = {
  'Spanish names': { files: ['conll2002-es/esp.train', 'conll2002-es/esp.testa'], ...conll },
  'Dutch names': { files: ['conll2002-nl/ned.train', 'conll2002-nl/ned.testa'], ...conll },
  chunks: { files: ['conll2000/train.txt', 'conll2000/test.txt'], ...conll },
  'parts of speech': {
    files: ['ud-english-ewt/train.conllu', 'ud-english-ewt/dev.conllu'],
    ...conllu,
  },
};

const [log, sgd, adagrad] = [
  'stages.contribute={loss: log}',
  'stages.optimize={sgd: {eta0: 0.1, l2: 0.05, average: true}}',
  'stages.optimize={adagrad: {eta0: 0.2, l2: 0.05}}',
];
const margin = 'stages.contribute={loss: softmax-margin, cost: 1, missCost: 3}';
const preset = name => `stages.featurize={preset: ${name}}`;

/** What is tried in place of what `init` writes. */
const settings = {
  names: {
    'few features': [preset('ner-small'), margin, adagrad],
    'some features': [preset('ner-medium'), margin, adagrad],
    'all features': [preset('ner'), margin, adagrad],
    'log loss, sgd': [preset('ner'), log, sgd],
  },
  chunks: {
    'few features': [preset('chunk-small'), margin, adagrad],
    'all features': [preset('chunk'), margin, adagrad],
    'log loss, sgd': [preset('chunk'), log, sgd],
  },
  'parts of speech': {
    adagrad: [preset('pos'), log, adagrad],
    sgd: [preset('pos'), log, sgd],
  },
};

/**
 * What `init` writes for samples of several sizes, beside the other settings that may be best: mean F1 or accuracy of three
 * samples. A default that is behind the best by more than the deviation of the samples has failed.
 */
export async function defaults({ folder, scale, progress }) {
  const corpora = process.env.TAGSTREAM_CORPORA ?? resolve(root, '../shared/corpora');
  const rows = [];
  for (const [name, source] of Object.entries(sources)) {
    const [train, test] = source.files.map(file => join(corpora, file));
    if (!existsSync(train) || !existsSync(test)) continue;
    for (const size of scale.defaults.sizes) {
      progress(`${name}, ${size} sentences`);
      rows.push(...(await ofSize({ name, source, train, test, size, folder, scale })));
    }
  }
  return { rows };
}

async function ofSize({ name, source, train, test, size, folder, scale }) {
  const variants = {
    'as init writes it': [],
    ...settings[name.split(' ').at(-1)],
    ...settings[name],
  };
  const outcomes = Object.keys(variants).map(variant => ({ variant, scores: [], seconds: [] }));
  for (let seed = 1; seed <= scale.defaults.samples; seed += 1) {
    const sample = join(folder, `defaults-${size}-${seed}.${train.split('.').at(-1)}`);
    writeFileSync(sample, sampleOf(train, size, seed));
    const pipeline = join(folder, 'defaults.yaml');
    await measure(command('init', sample, test, '--out', pipeline, '--force', ...source.columns));
    for (const { variant, scores, seconds } of outcomes) {
      const set = variants[variant].flatMap(each => ['--set', each]);
      const model = join(folder, 'defaults.model');
      const stdout = join(folder, 'defaults.json');
      const given = [...set, '--model', model, '--force', '--json'];
      seconds.push((await measure(command('train', pipeline, ...given), { stdout })).seconds);
      const { f1, accuracy } = JSON.parse(readFileSync(stdout, 'utf8')).test;
      scores.push(f1 ?? accuracy);
    }
  }
  return judged(`${name}, ${size} sentences`, outcomes);
}

function judged(what, outcomes) {
  const rows = outcomes.map(({ variant, scores, seconds }) => {
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
    const deviation = Math.sqrt(squares / Math.max(1, scores.length - 1));
    const row = { group: 'defaults', what: `${what}: ${variant}`, runs: scores.length };
    return { ...row, seconds: median(seconds), f1: mean, deviation, ratios: {} };
  });
  const best = Math.max(...rows.map(({ f1 }) => f1));
  const [own, ...others] = rows;
  const lost = best - own.f1;
  const noted = {
    ...own,
    note: `${lost.toFixed(2)} behind the best, deviation ${own.deviation.toFixed(2)}`,
  };
  const failed =
    own.runs > 1 && lost > own.deviation
      ? { failed: `${noted.note} at F1 ${own.f1.toFixed(2)}` }
      : {};
  return [{ ...noted, ...failed }, ...others];
}

/** Sentences of a file in its order, drawn by a seed. */
function sampleOf(file, size, seed) {
  const blocks = readFileSync(file, 'latin1')
    .split(/\n\s*\n/)
    .filter(block => block.trim() !== '');
  let state = seed;
  const drawn = new Set();
  while (drawn.size < Math.min(size, blocks.length)) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    drawn.add(Math.floor((state / 2 ** 32) * blocks.length));
  }
  const chosen = [...drawn].sort((a, b) => a - b).map(i => blocks[i].trimEnd());
  return Buffer.from(`${chosen.join('\n\n')}\n\n`, 'latin1');
}
