import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords } from '../../cli/commands/workspace.js';

/** A command that is attacked. It is run in a folder of its own, beside the files that all jobs read. */
export interface Job {
  readonly name: string;
  /** The command line; the same line resumes an interrupted run, or does all of it again. */
  readonly given: readonly string[];
  /** Files that are there in the end, and before with {@link oldContent}. */
  readonly results: readonly string[];
  /** A dead-letter file: each rejected record is there once, in any order and any number of rotated files. */
  readonly deadLetters?: string;
  /** A folder of checkpoints. */
  readonly checkpoints?: string;
  /** Text of the pipeline file, written as `pipeline.yaml` into the job's folder. */
  readonly pipeline?: string;
  /** What each run reads from its standard input. */
  readonly stdin?: string;
}

/** What a result holds before the job has run. */
export const oldContent = 'what was there before\n';

/** Numbers of records; a job takes longer with more. */
export interface JobSizes {
  readonly tagged: number;
  readonly learned: number;
  readonly epochs: number;
}

/** Every eleventh line is no record; every twentieth cannot be tagged. */
function mixedLines(count: number): string[] {
  return toyRecords(count, false).flatMap((line, i) => {
    if (i % 11 === 0) return [line, `{"id": ${i}, broken`];
    return i % 20 === 0 ? [line, `{"id": "${i}", "tokens": []}`] : [line];
  });
}

/** Writes the files that jobs read, `toy.model` among them, and returns the jobs. */
export async function prepareJobs(folder: string, sizes: JobSizes): Promise<readonly Job[]> {
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  await trainHere(toyPipeline(folder, 60));
  const mixed = mixedLines(sizes.tagged);
  write('in.ndjson', mixed);
  write('labelled.ndjson', toyRecords(sizes.learned));
  write(
    'stream.ndjson',
    toyRecords(sizes.learned).map((line, i) => (i % 3 === 0 ? mixed[i % mixed.length]! : line)),
  );
  write(
    'large.ndjson',
    toyRecords(90, false).flatMap((line, i) => [line, `{"id": ${i}, "x": "${'x'.repeat(40_000)}`]),
  );
  return [
    tagging('tag', '../in.ndjson'),
    tagging('tag and rotate', '../large.ndjson'),
    learning(),
    passes(sizes.epochs),
    {
      name: 'convert',
      given: ['convert', '--to', 'conll', '--out', 'out.conll', '../labelled.ndjson'],
      results: ['out.conll'],
    },
    {
      name: 'tag into gzip',
      given: ['tag', '--model', '../toy.model', '--out', 'out.ndjson.gz', '../labelled.ndjson'],
      results: ['out.ndjson.gz'],
    },
    {
      name: 'tag in workers',
      given: [
        ...['tag', '--model', '../toy.model', '--workers', '2', '--out', 'out.ndjson'],
        ...['--on-bad', 'skip', '../in.ndjson'],
      ],
      results: ['out.ndjson'],
    },
    {
      name: 'tag text',
      given: ['tag', '--model', '../toy.model', '--html', 'page.html', '../labelled.ndjson'],
      results: ['page.html'],
    },
  ];
}

/** File to file with checkpoints, and rejected records in files that are rotated when they are full. */
function tagging(name: string, input: string): Job {
  return {
    name,
    given: [
      ...['tag', '--model', '../toy.model', '--scores', input, '--out', 'out.ndjson'],
      ...['--dead-letter', 'bad.ndjson', '--dead-letter-bytes', '1048576'],
      ...['--dead-letter-keep', '20'],
      ...['--checkpoint', 'progress', '--checkpoint-seconds', '0.005', '--resume'],
    ],
    results: ['out.ndjson'],
    deadLetters: 'bad.ndjson',
    checkpoints: 'progress',
  };
}

/** Learns from a stream, and tags what has no labels. */
function learning(): Job {
  return {
    name: 'learn',
    given: ['run', 'pipeline.yaml', '--resume'],
    results: ['tagged.ndjson', 'learned.model'],
    checkpoints: 'checkpoints',
    pipeline: `version: 1
name: stream
source: { ndjson: { files: [../stream.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 3 }
  - contribute: { loss: log }
  - optimize: { sgd-l1: { l1: 0.1, schedule: constant } }
  - evaluate: { progressive: true }
  - checkpoint: { dir: checkpoints, sentences: 50 }
  - tag: {}
train: { corpusSize: 1000 }
model: learned.model
sink: { file: tagged.ndjson, only: unlabelled }
`,
  };
}

function passes(epochs: number): Job {
  return {
    name: 'train',
    given: ['train', 'pipeline.yaml', '--resume'],
    results: ['trained.model'],
    checkpoints: 'checkpoints',
    pipeline: `version: 1
name: passes
source: { ndjson: { files: [../train.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
  - checkpoint: { dir: checkpoints, sentences: 37, keep: 2 }
train: { epochs: ${epochs}, seed: 7 }
model: trained.model
`,
  };
}
