/** Folders whose tests compute in their own thread, and need nothing that is built but the kernels. */
export const plain = [
  'core',
  'text',
  'kernels',
  'features',
  'inference',
  'losses',
  'optimizers',
  'trainers',
  'metrics',
  'operators',
  'models',
];

/** Of a table (`it.each`, `describe.each`) with at least this many rows, not every row runs. */
export const fewest = 4;

/**
 * Tables whose rows take long or are products of others, by the beginnings of paths, the first that fits counts: one row in
 * so many runs. Of all other tables every row runs.
 */
export const dear: readonly (readonly [path: string, apart: number])[] = [
  ['test/contracts/json-bytes.contract.test.ts', 4],
  ['test/contracts/loss.contract.test.ts', 4],
  ['test/contracts/optimizer.contract.test.ts', 6],
  ['test/contracts/structure.contract.test.ts', 8],
  ['test/cli/run/init.test.ts', 4],
  ['test/faults/kills/', 8],
  ['test/features/index/packed-keys.test.ts', 6],
  ['test/inference/random-problems.test.ts', 3],
  ['test/inference/segments/enumeration.test.ts', 3],
  ['test/inference/structures/codes/output-codes.test.ts', 3],
  ['test/inference/structures/graph/enumeration.test.ts', 3],
  ['test/inference/underflow.test.ts', 3],
  ['test/losses/local-losses.test.ts', 3],
  ['test/losses/smooth-losses.test.ts', 4],
  ['test/models/files/compact-file.test.ts', 4],
  ['test/models/group/', 5],
  ['test/models/labels/code-words.test.ts', 3],
  ['test/models/learning/evict-features.test.ts', 3],
  ['test/models/state/resume.test.ts', 5],
  ['test/operators/drift-streams.test.ts', 8],
  ['test/optimizers/late-parameters.test.ts', 3],
  ['test/optimizers/voted-perceptron.test.ts', 3],
  ['test/pipeline/run/drawn-models.test.ts', 40],
  ['test/pipeline/run/estimate/estimate.test.ts', 5],
  ['test/pipeline/shipped.test.ts', 7],
  ['test/pipeline/study/pages.test.ts', 8],
  ['test/pipeline/study/shipped-studies.test.ts', 8],
  ['test/pipeline/tagging/tag-in-workers.test.ts', 5],
  ['test/telemetry/dashboard.test.ts', 6],
  ['test/trainers/batch-perceptron.test.ts', 3],
  ['test/trainers/em/', 4],
  ['test/trainers/shards/', 4],
  ['test/cli/', 5],
  ['test/contracts/refused-arguments.contract.test.ts', 1],
  ['test/contracts/', 4],
  ['test/faults/', 5],
  ['test/io/nats/', 5],
  ['test/pipeline/extraction/', 3],
  ['test/pipeline/hidden-states.test.ts', 3],
  ['test/pipeline/run/', 5],
  ['test/pipeline/scorers/', 5],
  ['test/pipeline/segments.test.ts', 6],
  ['test/pipeline/structures/', 5],
  ['test/pipeline/tagging/', 5],
  ['test/pipeline/training/', 5],
];

/**
 * Files of which each test takes long: trainings, enumerations, processes. Of the tests that the tables above leave, in
 * their order, one in so many runs. Names of files are those of a folder, without their ending.
 */
export const costly: readonly (readonly [apart: number, folder: string, names: string])[] = [
  [3, 'annotation', 'answers-file injection record-formats review session'],
  [2, 'annotation', 'query-pool'],
  [3, 'cli', 'other-peoples-files'],
  [3, 'cli/export', 'export-model'],
  [3, 'cli/line', 'completion standard-paths'],
  [3, 'cli/pool', 'pool'],
  [2, 'cli/pool', 'experts'],
  [3, 'cli/report', 'dead-letters metrics'],
  [3, 'cli/run', 'data-warnings penalty-grid run-workers train-workers'],
  [3, 'cli/signals', 'signals'],
  [
    3,
    'cli/tag',
    'byte-order-marks decoding documents empty-records foreign-records one-at-a-time reload rules several-models tag-text tag-workers tokenizer-file voted',
  ],
  [2, 'cli/tag', 'rotate'],
  [
    3,
    'contracts',
    'json-bytes.contract loss.contract optimizer.contract structure.contract trainer.contract',
  ],
  [2, 'contracts', 'codec.contract online-objective.contract tokenizer.contract'],
  [3, 'contracts/oracle', 'sparse-against-dense'],
  [2, 'contracts/oracle', 'compact-against-dense pruned simd-against-reference'],
  [3, 'faults/attacks', 'interrupted-jobs path-aliases'],
  [3, 'faults/files', 'bad-places'],
  [2, 'faults/files', 'locked-outputs'],
  [3, 'faults/kills', 'thread-death'],
  [3, 'faults/pipes', 'fifo-input'],
  [2, 'faults/pipes', 'fifo-readers ids-over-pipes'],
  [2, 'faults/records', 'partial-fuzz'],
  [2, 'features/index', 'packed-keys'],
  [3, 'features/resources', 'gazetteer-lookup'],
  [2, 'house/docs', 'references'],
  [3, 'inference', 'extreme-scores hidden-states masked-scaling n-best underflow'],
  [2, 'inference', 'random-problems'],
  [2, 'inference/scorers', 'memm-scorer'],
  [3, 'inference/segments', 'enumeration'],
  [3, 'inference/structures/graph', 'enumeration'],
  [3, 'inference/structures/layers', 'fill-layers'],
  [2, 'inference/structures/layers', 'loopy-marginals'],
  [3, 'io/blocks', 'read-blocks'],
  [3, 'io/codecs/ndjson', 'plain-records'],
  [3, 'io/codecs/ndjson/texts', 'word-division'],
  [3, 'io/dead-letters', 'rotating-file'],
  [3, 'io/nats/registry', 'promoted'],
  [3, 'io/nats/transport', 'bad-places'],
  [3, 'io/writing', 'resumable-file'],
  [2, 'kernels/reference', 'cumulative-penalty exponentiate'],
  [3, 'losses', 'contribution-of smooth-losses'],
  [2, 'losses', 'gradients'],
  [2, 'metrics', 'sequential-test'],
  [3, 'metrics/scores', 'progressive-scores'],
  [2, 'models', 'support-vectors trees'],
  [2, 'models/decoding', 'string-decoder'],
  [3, 'models/files', 'compact-file resource-sections'],
  [3, 'models/graph', 'gradient'],
  [3, 'models/group', 'deterministic hogwild several-seeds'],
  [3, 'models/group/mixing', 'mixing'],
  [3, 'models/learning', 'contest drift-monitor evict-features honest-estimate prune-features'],
  [2, 'models/learning', 'compressed-weights'],
  [3, 'models/state', 'resume'],
  [3, 'operators', 'drift-streams join-labels'],
  [2, 'operators', 'ask replay'],
  [3, 'optimizers', 'adagrad late-parameters sgd sgd-l1 voted-perceptron'],
  [2, 'optimizers', 'sgd-l1-penalties window-average'],
  [2, 'optimizers/tables', 'counts'],
  [2, 'pipeline/extraction', 'plain-extractor'],
  [3, 'pipeline/init', 'choose-tokenizer init-pipeline'],
  [3, 'pipeline/plan', 'yaml-and-code'],
  [3, 'pipeline/pool', 'pooled-models'],
  [3, 'pipeline/run', 'challenge selections stacked stop-and-resume switch-and-path word-vectors'],
  [2, 'pipeline/run', 'preset word-lists'],
  [3, 'pipeline/scorers', 'hmm support-vectors trees'],
  [3, 'pipeline/sources', 'simulated'],
  [3, 'pipeline/structures', 'parts'],
  [3, 'pipeline/study', 'run-study'],
  [3, 'pipeline/study/measures', 'measure-run'],
  [3, 'pipeline/tagging', 'tag-in-workers'],
  [3, 'pipeline/tagging/messages', 'tag-messages'],
  [3, 'pipeline/tagging/plain', 'fuzzed-blocks fuzzed-rows'],
  [3, 'pipeline/training', 'induction train'],
  [3, 'plugins', 'from-code stages'],
  [3, 'serve', 'command guide'],
  [3, 'serve/load', 'load'],
  [2, 'trainers', 'regularisation-path smooth-losses'],
  [3, 'trainers/boosting', 'sequence-boosting'],
  [3, 'trainers/boosting/induction', 'feature-induction'],
  [2, 'trainers/boosting/trees', 'tree-boosting'],
  [3, 'trainers/descent', 'coordinate-descent'],
  [3, 'trainers/em', 'em mixtures'],
  [2, 'trainers/margin', 'eg smo'],
  [3, 'trainers/shards', 'sharded-losses'],
  [3, 'workers', 'worker-pool'],
];

/**
 * Files whose rows need the rows before them, as the lines of a page do: all of a suite runs, and of suites that are written
 * in the same place, such as pages, one in so many.
 */
export const connected: ReadonlyMap<string, number> = new Map([
  ['test/house/docs/readme.test.ts', 4],
  ['test/house/docs/walks.test.ts', 4],
  ['test/io/nats/page.test.ts', 1],
  ['test/io/nats/registry/page.test.ts', 1],
]);

/** Files that take turns: of each list so many run. */
export const turns: readonly { readonly take: number; readonly files: readonly string[] }[] = [
  // Training and tagging around servers that are killed or disturbed.
  {
    take: 1,
    files: [
      'test/io/nats/training/kills.test.ts',
      'test/io/nats/training/server-kills.test.ts',
      'test/io/nats/training/split-stream.test.ts',
      'test/io/nats/training/stream-kills.test.ts',
      'test/io/nats/transport/disturbed.test.ts',
      'test/io/nats/transport/random-kills.test.ts',
    ],
  },
  // Servers that go on.
  {
    take: 2,
    files: [
      'test/io/nats/registry/deployed.test.ts',
      'test/io/nats/transport/questions.test.ts',
      'test/io/nats/page.test.ts',
      'test/io/nats/registry/commands.test.ts',
      'test/io/nats/registry/page.test.ts',
      'test/io/nats/registry/promoted.test.ts',
      'test/io/nats/registry/registry.test.ts',
      'test/io/nats/server.test.ts',
      'test/io/nats/training/executor.test.ts',
      'test/io/nats/transport/bad-places.test.ts',
      'test/io/nats/transport/partitions.test.ts',
      'test/io/nats/transport/tagging.test.ts',
    ],
  },
  // Processes that are killed.
  {
    take: 1,
    files: [
      'test/annotation/kills.test.ts',
      'test/faults/kills/joined-labels.test.ts',
      'test/faults/attacks/interrupted-jobs.test.ts',
      'test/faults/kills/blocked-signals.test.ts',
      'test/faults/kills/checkpoint-kill.test.ts',
      'test/faults/kills/extraction-death.test.ts',
      'test/faults/kills/kill-resume-blocks.test.ts',
      'test/faults/kills/kill-resume-stream.test.ts',
      'test/faults/kills/kill-resume.test.ts',
      'test/faults/kills/quarantine.test.ts',
      'test/faults/kills/random-kills.test.ts',
      'test/faults/kills/rotated-output.test.ts',
      'test/faults/kills/thread-death.test.ts',
    ],
  },
  // Files and pipes that are cut off, damaged, or in the wrong place.
  {
    take: 1,
    files: [
      'test/faults/files/bad-places.test.ts',
      'test/faults/files/cut-inputs.test.ts',
      'test/faults/pipes/fifo-input.test.ts',
      'test/faults/pipes/fifo-places.test.ts',
      'test/faults/records/bad-bytes.test.ts',
      'test/faults/records/growth-shapes.test.ts',
      'test/faults/records/ndjson-fuzz.test.ts',
    ],
  },
  // Memory.
  {
    take: 1,
    files: [
      'test/faults/memory/bounded-memory.test.ts',
      'test/faults/memory/endless-garbage.test.ts',
      'test/faults/memory/endless-vocabulary.test.ts',
      'test/faults/memory/opened-and-closed.test.ts',
      'test/faults/records/large-records.test.ts',
    ],
  },
  // The tagging service under load and attack, as a command, and with all that goes around it.
  {
    take: 2,
    files: [
      'test/serve/client/client.test.ts',
      'test/serve/command.test.ts',
      'test/serve/load/load.test.ts',
      'test/serve/openapi.test.ts',
      'test/serve/recipes.test.ts',
      'test/serve/socket-activation.test.ts',
      'test/serve/sockets.test.ts',
    ],
  },
  // Pages in a browser, and servers of pages.
  {
    take: 1,
    files: [
      'test/annotation/injection.test.ts',
      'test/annotation/page.test.ts',
      'test/annotation/together.test.ts',
      'test/annotation/walk-through.test.ts',
      'test/house/entries/browser.test.ts',
      'test/house/screenshots/screenshots.test.ts',
      'test/reports/browser.test.ts',
      'test/serve/page.test.ts',
      'test/telemetry/dashboard.test.ts',
    ],
  },
  // Pages whose commands are run one after the other, and the site that is made of all pages.
  { take: 1, files: ['test/house/docs/site.test.ts', 'test/house/docs/walks.test.ts'] },
  // Packages that are packed and installed, sources that are changed and built.
  {
    take: 1,
    files: [
      'test/cli/bundled/kept-code.test.ts',
      'test/house/adding.test.ts',
      'test/house/entries/packed.test.ts',
      'test/plugins/plug-in-package.test.ts',
    ],
  },
  // Streams that drift, studies, estimates: each trains a dozen models.
  {
    take: 1,
    files: [
      'test/operators/drift-streams.test.ts',
      'test/pipeline/run/estimate/estimate.test.ts',
      'test/pipeline/study/pages.test.ts',
      'test/pipeline/study/shipped-studies.test.ts',
    ],
  },
  // Records that are too large for the memory or the links of a model.
  {
    take: 1,
    files: ['test/models/decoding/too-large.test.ts', 'test/pipeline/run/wide-links.test.ts'],
  },
  // Records of all shapes, by both ways of tagging.
  {
    take: 1,
    files: [
      'test/pipeline/tagging/plain/fuzzed-blocks.test.ts',
      'test/pipeline/tagging/plain/fuzzed-fields.test.ts',
      'test/pipeline/tagging/plain/fuzzed-rows.test.ts',
      'test/pipeline/tagging/plain/long-texts.test.ts',
    ],
  },
  // Simulations and searches.
  {
    take: 1,
    files: [
      'test/annotation/asked-on-a-stream.test.ts',
      'test/annotation/simulation.test.ts',
      'test/cli/run/init-best.test.ts',
      'test/house/bench/harness.test.ts',
      'test/pipeline/extraction/encoded-corpus.test.ts',
    ],
  },
  // Trainings of each kind, from the pipeline file to what is tagged, in several threads and after a stop.
  {
    take: 3,
    files: [
      'test/pipeline/hidden-states.test.ts',
      'test/pipeline/run/batch-training.test.ts',
      'test/pipeline/run/loss-costs.test.ts',
      'test/pipeline/run/scorers.test.ts',
      'test/pipeline/run/stacked.test.ts',
      'test/pipeline/run/switch-and-path.test.ts',
      'test/pipeline/scorers/densities.test.ts',
      'test/pipeline/scorers/em.test.ts',
      'test/pipeline/scorers/trees.test.ts',
      'test/pipeline/segments.test.ts',
      'test/pipeline/structures/codes.test.ts',
      'test/pipeline/structures/graph.test.ts',
      'test/pipeline/structures/layers.test.ts',
      'test/pipeline/training/induction.test.ts',
    ],
  },
  // Files whose tests go on from what those before have made.
  {
    take: 3,
    files: [
      'test/cli/report/log.test.ts',
      'test/cli/run/init.test.ts',
      'test/cli/run/shorter-run.test.ts',
      'test/cli/tag/checkpoint-notes.test.ts',
      'test/cli/tag/other-formats.test.ts',
      'test/faults/files/checkpoint-damage.test.ts',
      'test/pipeline/columns/learn-columns.test.ts',
      'test/pipeline/setup/start-from.test.ts',
      'test/pipeline/tagging/service/tagger-pool.test.ts',
      'test/serve/service.test.ts',
    ],
  },
];
