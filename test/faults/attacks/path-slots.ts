/** What a file holds that a command can read. */
export type Sample =
  | 'records'
  | 'model'
  | 'dictionary'
  | 'rules'
  | 'letters'
  | 'pipeline'
  | 'study'
  | 'curve'
  | 'templates'
  | 'names'
  | 'vectors';

/** A place on the command line, or in the pipeline file, that takes a path. */
export interface Slot {
  /** The option or argument as the help lists it; or `FILE:` and a place in the pipeline file. */
  readonly name: string;
  /** What is read; undefined for what is only written. */
  readonly reads?: Sample;
  /** What the command adds to the path: it writes there too. */
  readonly suffix?: string;
  /** Further arguments that the option asks for. */
  readonly needs?: readonly string[];
  /** The name of a place that stays empty then. */
  readonly replaces?: string;
  /** A path is needed there; it is this one where no other is tried. */
  readonly always?: string;
}

/** A command whose paths are tried against each other. */
export interface PathCommand {
  readonly command: string;
  readonly further: readonly string[];
  readonly slots: readonly Slot[];
}

const checkpointed = ['--checkpoint', 'further-checkpoints'];
const output = ['--out', 'further-out'];
const trials = ['--best', '--minutes', '0.001'];
const deadLetter: readonly Slot[] = [
  { name: '--dead-letter' },
  { name: '--dead-letter', suffix: '.1' },
];
const pipeline: Slot = { name: 'pipeline', reads: 'pipeline', always: 'given.yaml' };
const source: Slot = { name: 'FILE:source', reads: 'records', always: 'given.ndjson' };

const test: Slot = { name: 'FILE:test', reads: 'records' };

const learning: readonly Slot[] = [
  pipeline,
  source,
  test,
  { name: '--model' },
  { name: '--html' },
  { name: 'FILE:model' },
  { name: 'FILE:deadLetters' },
  { name: 'FILE:checkpoint' },
  { name: 'FILE:checkpoint', suffix: '/gen-00000001' },
  { name: 'FILE:templates', reads: 'templates' },
  { name: 'FILE:gazetteer', reads: 'names' },
  { name: 'FILE:start', reads: 'model' },
  { name: 'FILE:evaluate', reads: 'records' },
  ...deadLetter,
];

/** All commands that write files, with all paths that they take. */
export const pathCommands: readonly PathCommand[] = [
  {
    command: 'tag',
    further: ['--format', 'ndjson'],
    slots: [
      { name: 'inputs', reads: 'records', always: 'given.ndjson' },
      { name: '--model', reads: 'model', always: 'given.model' },
      { name: '--tokenizer', reads: 'model' },
      { name: '--dictionary', reads: 'dictionary' },
      { name: '--rules', reads: 'rules' },
      { name: '--replay', reads: 'letters', replaces: 'inputs' },
      { name: '--html' },
      { name: '--out' },
      { name: '--out', suffix: '.part', needs: checkpointed },
      { name: '--checkpoint', needs: output },
      { name: '--checkpoint', suffix: '/gen-00000001', needs: output },
      ...deadLetter,
    ],
  },
  {
    command: 'export',
    further: [],
    slots: [
      { name: 'models', reads: 'model', always: 'given.model' },
      { name: '--tokenizer', reads: 'model' },
      { name: '--out' },
      { name: '--html', always: 'further.html' },
      { name: '--js' },
      { name: '--js', suffix: '.d.ts' },
    ],
  },
  {
    command: 'convert',
    further: ['--from', 'ndjson', '--to', 'conll'],
    slots: [
      { name: 'inputs', reads: 'records', always: 'given.ndjson' },
      { name: '--tokenizer', reads: 'model' },
      { name: '--abbreviations', reads: 'names' },
      { name: '--out' },
      ...deadLetter,
    ],
  },
  {
    command: 'tokenize',
    further: ['--format', 'ndjson', '--to', 'conll'],
    slots: [
      { name: 'inputs', reads: 'records', always: 'given.ndjson' },
      { name: '--tokenizer', reads: 'model' },
      { name: '--abbreviations', reads: 'names' },
      { name: '--out' },
      ...deadLetter,
    ],
  },
  {
    command: 'word-clusters',
    further: ['--format', 'ndjson', '--classes', '4', '--min-count', '1'],
    slots: [
      { name: 'inputs', reads: 'records', always: 'given.ndjson' },
      { name: '--vectors', reads: 'vectors', replaces: 'inputs' },
      { name: '--tokenizer', reads: 'model' },
      { name: '--out' },
      ...deadLetter,
    ],
  },
  {
    command: 'eval',
    further: ['--format', 'ndjson'],
    slots: [
      { name: 'gold', reads: 'records', always: 'given.ndjson' },
      { name: '--model', reads: 'model', always: 'given.model' },
      { name: '--against', reads: 'model' },
      { name: '--train', reads: 'records' },
      { name: '--curve', reads: 'curve', needs: ['--html', 'further.html'] },
      { name: '--tokenizer', reads: 'model' },
      { name: '--dictionary', reads: 'dictionary' },
      { name: '--rules', reads: 'rules' },
      { name: '--html' },
    ],
  },
  {
    command: 'init',
    further: ['--force'],
    slots: [
      { name: 'file', reads: 'records', always: 'given.ndjson' },
      { name: 'test', reads: 'records' },
      { name: '--lists', reads: 'names' },
      { name: '--raw-text', reads: 'records', needs: trials },
      { name: '--vectors', reads: 'vectors' },
      { name: '--out', always: 'further.yaml' },
      {
        name: '--out',
        suffix: '.clusters.txt',
        needs: [...trials, '--raw-text', 'given.ndjson'],
      },
    ],
  },
  {
    command: 'pool',
    further: ['--format', 'ndjson'],
    slots: [
      { name: 'models', reads: 'model', always: 'given.model' },
      { name: '--data', reads: 'records', always: 'given.ndjson' },
      { name: '--model', always: 'further.model' },
    ],
  },
  {
    command: 'pool',
    further: ['--experts', '2', '--by', 'data'],
    slots: [
      { name: 'models', reads: 'pipeline', always: 'given.yaml' },
      source,
      { name: '--model', always: 'further.model' },
    ],
  },
  {
    command: 'inspect',
    further: [],
    slots: [
      { name: 'model', reads: 'model', always: 'given.model' },
      { name: '--data', reads: 'records', needs: ['--format', 'ndjson'] },
      { name: '--explain', reads: 'records', needs: ['--format', 'ndjson'] },
      { name: '--rules', reads: 'rules', needs: ['--explain', 'the dog'] },
      { name: '--sparsity' },
    ],
  },
  {
    command: 'curve',
    further: ['--sizes', '50%'],
    slots: [pipeline, source, test, { name: '--html' }],
  },
  {
    command: 'crossval',
    further: ['--folds', '2'],
    slots: [
      pipeline,
      source,
      test,
      { name: '--html' },
      { name: '--out', needs: ['--grid', 'l2=0,1', '--force'] },
    ],
  },
  {
    command: 'study',
    further: [],
    slots: [
      { name: 'study', reads: 'study', always: 'given-study.yaml' },
      pipeline,
      source,
      test,
      { name: '--results', always: 'further.results' },
      { name: '--html' },
    ],
  },
  { command: 'train', further: [], slots: learning },
  {
    command: 'run',
    further: [],
    slots: [...learning, { name: '--replay', reads: 'letters' }, { name: 'FILE:sink' }],
  },
  { command: 'schema', further: [], slots: [{ name: '--write' }] },
  // These only read.
  {
    command: 'test',
    further: [],
    slots: [pipeline, source, { name: '--model', reads: 'model', always: 'given.model' }],
  },
  { command: 'validate', further: [], slots: [{ ...pipeline, name: 'pipelines' }, source] },
];

/** Options that take text which is no path, or a path that no other can be compared with. */
export const otherOptions: ReadonlySet<string> = new Set([
  'eval --rank',
  // Of NATS: names there, and a file of options and a folder of models by their digests.
  ...['--servers', '--nats', '--cache', '--stream', '--note', '--expect', 'release', 'alias'],
  // They write one file at most, and read none that could be the same without a server.
  ...['put', 'status', 'read', 'verify', 'work'].map(name => `cluster ${name} pipeline`),
  ...['cluster put inputs', 'cluster verify --rejected'],
  ...['models push file', 'models pull model', 'models pull --out', 'models watch model'],
  ...['--format', '--from', '--to', '--tokenizer', '--locale', '--columns', '--tag', '--label'],
  ...['--feature', '--sizes', '--errors', '--resamples', '--seed', '--only', '--workers', '--set'],
  ...['--challenge', '--deploy', '--sample', '--grid', '--experts'],
  ...['--on-bad', '--metrics', '--metrics-host', '--shutdown-timeout', 'name', 'names'],
  ...['--weights', '--marginals', '--text-field', '--into', '--redact', '--column'],
  ...[
    '--folds',
    '--run',
    '--labels',
    '--tags',
    '--pattern',
    '--annotators',
    '--port',
    '--host',
    '--token',
    '--origin',
  ],
  ...['--strategies', '--seeds', '--tokens', '--words', '--classes'],
  // It serves a page until it is stopped: see test/annotation/files.test.ts.
  ...[
    'records',
    '--out',
    '--model',
    '--gazetteer',
    '--guidelines',
    '--save',
    '--simulate',
    '--test',
  ].map(name => `annotate ${name}`),
  ...['annotate --html', 'annotate --svg'],
  // It writes no file, and serves until it is stopped.
  ...['models', '--alias', '--cors', '--tls-cert', '--tls-key', '--dictionary', '--rules'].map(
    name => `serve ${name}`,
  ),
  ...['threads', 'max-body', 'max-records', 'max-tokens', 'max-nbest', 'max-wait', 'max-held'].map(
    name => `serve --${name}`,
  ),
  ...['max-work', 'max-answer', 'max-client-held', 'max-streams', 'max-client-streams'].map(
    name => `serve --${name}`,
  ),
  ...['min-rate', 'timeout', 'idle-timeout', 'yield-after', 'stall-timeout'].map(
    name => `serve --${name}`,
  ),
  // In place of --data: the section test of a file.
  'pool --pipeline',
  // A package or a file; files are compared in path-aliases.test.ts.
  '--use',
  // Folders of downloads: what is written there is named by the catalogue.
  ...['--dir', '--catalogue', 'corpora convert --out'],
]);
