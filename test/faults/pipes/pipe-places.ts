import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toyRecords } from '../../cli/commands/workspace.js';

/** Labelled records, as `train.ndjson` in the folder of the test holds them. */
export const labelled = `${toyRecords(60).join('\n')}\n`;

/** A place where a path can stand; `FIFO` in the command, or in its pipeline, is a pipe. */
export interface Place {
  readonly name: string;
  readonly command: string;
  /** A pipeline for `FILE.yaml` in the command. */
  readonly pipeline?: string;
  /** What is written to the pipe, from the folder of the test; without it the pipe is read. */
  readonly gives?: (folder: string) => string | Uint8Array;
  /** What has to come out of the pipe, or be printed where it is an input. */
  readonly shows?: RegExp;
  /** Whether a signal is left to the system, which ends the process. */
  readonly plain?: boolean;
}

export const learning = (stages: { [stage: string]: string } = {}, more = '') => `version: 1
name: toy
source: { ndjson: { files: [${stages.source ?? 'train.ndjson'}] } }
stages:
  - featurize: ${stages.featurize ?? '{ templates: ["U00:%x[0,0]"] }'}
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
${stages.evaluate ?? ''}${more}`;
export const epochs = 'train: { epochs: 1, seed: 7 }\n';
const stream = '  - tag\ntrain: { seed: 7, corpusSize: 60 }\nsink: { file: /dev/null }\n';
const tagging = (
  featurize: string,
  tag = 'tag',
  more = 'sink: { file: /dev/null }\n',
) => `version: 1
name: tagging
source: { ndjson: { files: [train.ndjson] } }
stages: [{ featurize: { model: ${featurize} } }, batch, ${tag}]
${more}`;
const model = (folder: string) => readFileSync(join(folder, 'toy.model'));
const letters = (folder: string) => readFileSync(join(folder, 'letters.ndjson'));
const dictionary = () => 'dog\tNOUN\n';
const trains = { shows: /trained on 60 sentences/ };
const ids = { shows: /"id":"59"/ };
const badRecord = { shows: /not-json/ };

/** Places where a pipe is waited for. */
export const waiting: readonly Place[] = [
  { name: 'tag INPUT', command: 'tag --model toy.model FIFO', gives: () => labelled, ...ids },
  { name: 'tag --model', command: 'tag --model FIFO train.ndjson', gives: model, ...ids },
  {
    name: 'tag --dictionary',
    command: 'tag --model toy.model --dictionary FIFO train.ndjson',
    gives: dictionary,
    ...ids,
  },
  {
    name: 'tag --replay',
    command: 'tag --model toy.model --replay FIFO',
    gives: letters,
    shows: /"id":"mended"/,
  },
  { name: 'tag --out', command: 'tag --model toy.model --out FIFO train.ndjson', ...ids },
  {
    name: 'tag --output tags --out',
    command: 'tag --model toy.model --output tags --out FIFO train.ndjson',
    ...ids,
  },
  {
    name: 'tag --html',
    command: 'tag --model toy.model --html FIFO train.ndjson',
    shows: /<\/html>/,
  },
  {
    name: 'tag --dead-letter',
    command: 'tag --model toy.model --out /dev/null --dead-letter FIFO bad.ndjson',
    ...badRecord,
  },
  {
    name: 'tag --output tags --dead-letter',
    command: 'tag --model toy.model --output tags --out /dev/null --dead-letter FIFO bad.ndjson',
    ...badRecord,
  },
  {
    name: 'tag --workers --model',
    command: 'tag --workers 2 --model FIFO train.ndjson',
    gives: model,
    ...ids,
  },
  {
    name: 'tag --workers --out',
    command: 'tag --workers 2 --model toy.model --out FIFO train.ndjson',
    ...ids,
  },
  {
    name: 'tag --workers --dead-letter',
    command: 'tag --workers 2 --model toy.model --out /dev/null --dead-letter FIFO bad.ndjson',
    ...badRecord,
  },
  {
    name: 'the source of a corpus',
    command: 'train FILE.yaml',
    pipeline: learning({ source: 'FIFO' }, epochs),
    gives: () => labelled,
    ...trains,
  },
  {
    name: 'the source of a stream',
    command: 'run FILE.yaml',
    pipeline: learning({ source: 'FIFO' }, stream),
    gives: () => labelled,
    ...trains,
  },
  {
    name: 'run --replay',
    command: 'run FILE.yaml --replay FIFO',
    pipeline: tagging('toy.model', 'tag', ''),
    gives: letters,
    shows: /"id":"mended"/,
  },
  {
    name: 'templates',
    command: 'train FILE.yaml',
    pipeline: learning({ featurize: '{ templates: FIFO }' }, epochs),
    gives: () => 'U00:%x[0,0]\n',
    ...trains,
  },
  {
    name: 'a gazetteer',
    command: 'train FILE.yaml',
    pipeline: learning(
      { featurize: '{ templates: ["U00:%x[0,0]"], gazetteers: { pets: FIFO } }' },
      epochs,
    ),
    gives: () => 'dog\ncat\n',
    ...trains,
  },
  {
    name: 'word clusters',
    command: 'train FILE.yaml',
    pipeline: learning(
      {
        featurize:
          '{ templates: ["U00:%x[0,0]"], clusters: { brown: { file: FIFO, fold: true } } }',
      },
      epochs,
    ),
    gives: () => '0\tdog\t3\n1\tcat\t2\n',
    ...trains,
  },
  {
    name: 'word vectors',
    command: 'train FILE.yaml',
    pipeline: learning(
      {
        featurize: '{ templates: ["U00:%x[0,0]"], vectors: { v: { file: FIFO, fold: true } } }',
      },
      epochs,
    ),
    gives: () => 'dog 1 2\ncat 2 1\n',
    ...trains,
  },
  {
    name: 'train.start',
    command: 'train FILE.yaml',
    pipeline: learning(
      { featurize: '{ templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }' },
      'train: { epochs: 1, start: FIFO }\n',
    ),
    gives: model,
    ...trains,
  },
  {
    name: 'held-out data',
    command: 'train FILE.yaml',
    pipeline: learning(
      { evaluate: '  - evaluate: { on: { ndjson: { files: [FIFO] } } }\n' },
      epochs,
    ),
    gives: () => labelled,
    ...trains,
  },
  {
    name: 'test data',
    command: 'train FILE.yaml',
    pipeline: learning({}, `${epochs}test: { ndjson: { files: [FIFO] } }\n`),
    gives: () => labelled,
    shows: /test: accuracy/,
  },
  {
    name: 'the model of a tagging run',
    command: 'run FILE.yaml',
    pipeline: tagging('FIFO', 'tag', ''),
    gives: model,
    ...ids,
  },
  {
    name: 'the dictionary of a stage',
    command: 'run FILE.yaml',
    pipeline: tagging('toy.model', '{ tag: { dictionary: FIFO } }', ''),
    gives: dictionary,
    ...ids,
  },
  {
    name: 'the sink of a tagging run',
    command: 'run FILE.yaml',
    pipeline: tagging('toy.model', 'tag', 'sink: { file: FIFO }\n'),
    ...ids,
  },
  {
    name: 'the sink of a learning run',
    command: 'run FILE.yaml',
    pipeline: learning({}, stream.replace('/dev/null', 'FIFO')),
    ...ids,
  },
  {
    name: 'deadLetters.file',
    command: 'run FILE.yaml',
    pipeline: learning({ source: 'bad.ndjson' }, `${stream}deadLetters: { file: FIFO }\n`),
    ...badRecord,
  },
  {
    name: 'curve --html',
    command: 'curve FILE.yaml --sizes 50% --html FIFO',
    pipeline: learning({}, `${epochs}test: { ndjson: { files: [train.ndjson] } }\n`),
    shows: /<\/html>/,
  },
  {
    name: 'study --html',
    command: 'study FILE.study.yaml --html FIFO',
    shows: /<\/html>/,
  },
  {
    name: 'a pipeline',
    command: 'run FIFO',
    gives: () => tagging('toy.model', 'tag', ''),
    plain: true,
    ...ids,
  },
  {
    name: 'eval GOLD',
    command: 'eval --model toy.model FIFO',
    gives: () => labelled,
    plain: true,
    shows: /60 sentences/,
  },
  {
    name: 'eval --against',
    command: 'eval --model toy.model train.ndjson --against FIFO',
    gives: model,
    plain: true,
    shows: /60 sentences/,
  },
  {
    name: 'eval --html',
    command: 'eval --model toy.model train.ndjson --html FIFO',
    plain: true,
    shows: /<\/html>/,
  },
  {
    name: 'inspect MODEL',
    command: 'inspect FIFO',
    gives: model,
    plain: true,
    shows: /NOUN/,
  },
  {
    name: 'convert INPUT',
    command: 'convert --from ndjson --to conll FIFO',
    gives: () => labelled,
    plain: true,
    shows: /dog/,
  },
  {
    name: 'convert --out',
    command: 'convert --to conll --out FIFO train.ndjson',
    plain: true,
    shows: /dog/,
  },
  {
    name: 'convert --dead-letter',
    command: 'convert --to conll --out /dev/null --dead-letter FIFO bad.ndjson',
    plain: true,
    ...badRecord,
  },
  {
    name: 'word-clusters --out',
    command: 'word-clusters --classes 2 --min-count 1 --out FIFO text.txt',
    plain: true,
    shows: /dog/,
  },
  {
    name: 'init FILE',
    command: 'init FIFO --out -',
    gives: () => labelled,
    plain: true,
    shows: /ndjson/,
  },
  {
    name: 'init --out',
    command: 'init train.ndjson --force --out FIFO',
    plain: true,
    shows: /stages/,
  },
  {
    name: 'test --model',
    command: 'test FILE.yaml --model FIFO',
    pipeline: learning({}, `${epochs}checks: [{ name: one, text: dog, tags: [NOUN] }]\n`),
    gives: model,
    plain: true,
    shows: /1 passed/,
  },
];

/** Places of files that are replaced as a whole, or resumed, and what is said of a pipe there. */
export const refused: readonly (Place & { readonly says: RegExp })[] = [
  {
    name: 'train --model',
    command: 'train FILE.yaml --model FIFO',
    pipeline: learning({}, epochs),
    says: /cannot write \S+: it is a pipe/,
  },
  {
    name: 'model',
    command: 'run FILE.yaml',
    pipeline: learning({}, `${epochs}model: FIFO\n`),
    says: /cannot write \S+: it is a pipe/,
  },
  {
    name: 'tag --checkpoint --out',
    command: 'tag --model toy.model --checkpoint progress --out FIFO train.ndjson',
    says: /write to an uncompressed regular file/,
  },
  {
    name: 'study --results',
    command: 'study FILE.study.yaml --results FIFO',
    says: /cannot write \S+: it is a pipe/,
  },
  {
    name: 'eval --against of a pipe',
    command: 'eval --model toy.model FIFO --against toy.model',
    says: /--against cannot be used with labelled data from the pipe/,
  },
  {
    name: 'tag --checkpoint',
    command: 'tag --model toy.model --checkpoint FIFO --out out.ndjson train.ndjson',
    says: /checkpoint|FIFO|directory/,
  },
];
