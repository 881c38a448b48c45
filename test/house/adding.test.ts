import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../cli/commands/workspace.js';

const root = resolve(import.meta.dirname, '../..');
const folder = workspace();
const inCopy = (path: string) => join(folder, path);

/** A component that is added to a copy of the sources as the table "Where new things go" of `src/README.md` says. */
interface Addition {
  /** The row of the table. */
  readonly kind: string;
  readonly path: string;
  readonly text: string;
  /** What goes into other files, behind the first occurrence of a text, by their paths. */
  readonly edits: Readonly<Record<string, readonly (readonly [behind: string, text: string])[]>>;
}

const additions: readonly Addition[] = [
  {
    kind: 'optimizer',
    path: 'engine/optimizers/fixed-rate.ts',
    text: `import * as z from 'zod';
import { AveragedSteps } from './averaging/averaged-steps.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';

const options = z.strictObject({ rate: z.number().positive().default(0.1).describe('step size') });
export type FixedRateOptions = z.infer<typeof options>;

class FixedRate extends AveragedSteps implements Optimizer {
  readonly name = 'fixed-rate';
  readonly stepSize: number;

  constructor({ rate }: FixedRateOptions, context: OptimizerContext) {
    super(context, false);
    this.stepSize = rate;
  }

  protected factor(): number {
    return -this.stepSize;
  }
}

export const fixedRate: OptimizerComponent<FixedRateOptions> = {
  name: 'fixed-rate',
  summary: 'w -= rate * gradient',
  options,
  sizes: { perWeight: () => 0 },
  example: 'optimize: { fixed-rate: {} }',
  create: (chosen, context) => new FixedRate(chosen, context),
};
`,
    edits: {
      'engine/optimizers/optimizers.ts': [
        ['', "import { fixedRate } from './fixed-rate.js';\n"],
        ['export const optimizers = [', '\n  fixedRate,'],
      ],
      'engine/optimizers/factories.ts': [
        [
          '',
          "import { type FixedRateOptions, fixedRate as fixedRateComponent } from './fixed-rate.js';\n",
        ],
        [
          'return online(adagradComponent, options);\n}\n',
          `
export function fixedRate(options: Partial<FixedRateOptions> = {}): OnlineOptimizer<FixedRateOptions> {
  return online(fixedRateComponent, options);
}
`,
        ],
      ],
      'entries/optimizers.ts': [
        ['export {', '\n  fixedRate,'],
        ['', "export type { FixedRateOptions } from '../engine/optimizers/fixed-rate.js';\n"],
      ],
      'runtime/pipeline/training/trainer-choice.ts': [
        ['', "import type { FixedRateOptions } from '../../../engine/optimizers/fixed-rate.js';\n"],
        [
          'export interface TrainerOptions {',
          "\n  readonly 'fixed-rate': Partial<FixedRateOptions>;",
        ],
      ],
    },
  },
  {
    kind: 'batch optimizer',
    path: 'engine/trainers/plain-gradients.ts',
    text: `import { type ConjugateGradientOptions, conjugateGradient } from './conjugate/conjugate-gradient.js';
import type { TrainerComponent } from './trainer-component.js';

export const plainGradients: TrainerComponent<ConjugateGradientOptions> = {
  ...conjugateGradient,
  name: 'plain-gradients',
};
`,
    edits: {
      'runtime/pipeline/catalogue/trainers.ts': [
        ['', "import { plainGradients } from '../../../engine/trainers/plain-gradients.js';\n"],
        ['const single = [', '\n  plainGradients,'],
      ],
      'engine/trainers/factories.ts': [
        ['', "import { plainGradients as plainGradientsComponent } from './plain-gradients.js';\n"],
        [
          'return inBatch(lbfgsComponent, options);\n}\n',
          `
export function plainGradients(
  options: Partial<ConjugateGradientOptions> = {},
): BatchOptimizer<ConjugateGradientOptions> {
  return inBatch(plainGradientsComponent, options);
}
`,
        ],
      ],
      'entries/optimizers.ts': [
        [
          "export { trainers } from '../runtime/pipeline/catalogue/trainers.js';\n",
          "export { plainGradients } from '../engine/trainers/factories.js';\n",
        ],
      ],
      'runtime/pipeline/training/trainer-choice.ts': [
        [
          'export interface TrainerOptions {',
          "\n  readonly 'plain-gradients': Partial<ConjugateGradientOptions>;",
        ],
      ],
    },
  },
  {
    kind: 'loss',
    path: 'engine/losses/half-loss.ts',
    text: `import { logLoss } from './log-loss.js';
import type { Loss } from './loss.js';
import { scaleResiduals } from './residuals/residuals.js';

export const halfLoss: Loss = {
  ...logLoss,
  name: 'half',
  apply(kernel, lattice, s, gold, predicted) {
    const loss = logLoss.apply(kernel, lattice, s, gold, predicted);
    scaleResiduals(lattice, s, 0.5);
    return loss / 2;
  },
};
`,
    edits: {
      'engine/losses/losses.ts': [
        ['', "import { halfLoss } from './half-loss.js';\n"],
        ['export const losses: readonly Loss[] = [', '\n  halfLoss,'],
      ],
      'engine/losses/factories.ts': [
        ['', "import { halfLoss as half } from './half-loss.js';\n"],
        ['return log;\n}\n', '\nexport function halfLoss(): Loss {\n  return half;\n}\n'],
      ],
      'entries/losses.ts': [['export {', '\n  halfLoss,']],
    },
  },
  {
    kind: 'scorer',
    path: 'engine/inference/scorers/plain-scorer.ts',
    text: `import { linearScorer } from './linear-scorer.js';
import type { Scorer } from './without-weights.js';

export const plainScorer: Scorer = { ...linearScorer, name: 'plain' };
`,
    edits: {
      'engine/core/scorer.ts': [['export type ScorerName =', " 'plain' |"]],
      'engine/inference/scorers/scorers.ts': [
        ['', "import { plainScorer } from './plain-scorer.js';\n"],
        ['export const scorers: readonly Scorer[] = [', '\n  plainScorer,'],
      ],
    },
  },
  {
    kind: 'format',
    path: 'formats/codecs/pairs/pairs-codec.ts',
    text: `import type { Codec } from '../codec.js';
import { slashCodec } from '../slash/slash-codec.js';

export function pairsCodec(): Codec {
  return { ...slashCodec({ separator: '=' }), name: 'pairs' };
}
`,
    edits: {
      'runtime/pipeline/catalogue/sources.ts': [
        ['', "import { pairsCodec } from '../../../formats/codecs/pairs/pairs-codec.js';\n"],
        [
          'const records: readonly SourceComponent[] = [',
          `
  source(
    {
      name: 'pairs',
      summary: 'word=tag',
      example: 'source: { pairs: { files: [a.pairs] } }',
      extensions: ['pairs'],
      options: z.strictObject({}),
    },
    pairsCodec,
  ),`,
        ],
      ],
      'entries/io.ts': [
        ['', "export { pairsCodec } from '../formats/codecs/pairs/pairs-codec.js';\n"],
      ],
    },
  },
  {
    kind: 'transport',
    path: 'runtime/io/transports/echo-transport.ts',
    text: `import * as z from 'zod';
import type { TransportComponent } from '../../../engine/interfaces/loaded-plugin.js';

export const echoTransport: TransportComponent = {
  name: 'echo',
  summary: 'one message, the text of an option',
  options: z.strictObject({ text: z.string() }),
  example: 'source: { ndjson: { from: { echo: { text: "{}" } } } }',
  reading: options => ({
    name: 'echo',
    read: () => [{ bytes: (options as { text: string }).text }],
  }),
  writing: () => {
    throw new Error('it only reads');
  },
};
`,
    edits: {
      'runtime/pipeline/catalogue/components.ts': [
        ['', "import { echoTransport } from '../../io/transports/echo-transport.js';\n"],
        ['const transports: readonly TransportComponent[] = [', 'echoTransport, '],
      ],
    },
  },
  {
    kind: 'token function',
    path: 'engine/features/extraction/backwards.ts',
    text: "export const backwards = (text: string) => [...text].reverse().join('');\n",
    edits: {
      'engine/features/extraction/atom.ts': [
        ['', "import { backwards } from './backwards.js';\n"],
        [
          "if (apply === 'type') return tokenType(token);",
          "\n    if (apply === 'backwards') return backwards(text);",
        ],
      ],
      'engine/features/template/template.ts': [
        ['export type TokenFunction =', "\n  | 'backwards'"],
      ],
      'engine/features/template/parse-macro.ts': [
        [
          'const forms: Readonly<Record<string, Form>> = {',
          "\n  backwards: { apply: 'backwards', third: 'none' },",
        ],
      ],
      'engine/features/template/built-in-functions.ts': [
        [
          'export const builtInFunctions: readonly ListedFunction[] = [',
          "\n  of('backwards', 'its letters from the last to the first'),",
        ],
      ],
    },
  },
  {
    kind: 'command',
    path: 'cli/commands/greet.ts',
    text: `import type { CommandModule } from 'yargs';
import { printText } from '../report/terminal.js';

export const greetCommand: CommandModule = {
  command: 'greet',
  describe: 'say hello',
  handler: () => printText('hello\\n'),
};
`,
    edits: {
      'cli/command-line.ts': [
        ['', "import { greetCommand } from './commands/greet.js';\n"],
        ['  presetsCommand,', '\n  greetCommand,'],
      ],
    },
  },
];

const table = readFileSync(join(root, 'src/README.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| '))
  .map(line => line.split('|').map(cell => cell.trim()));

/** The row of the table, and the files that it says are edited, without those that only some additions need. */
function rowOf(kind: string) {
  const [, , create, edits] = table.find(cells => cells[1] === kind && cells.length === 5)!;
  const always = edits!.replace(/\([^)]*\)/g, '').split(';')[0]!;
  const files = [...always.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file!);
  return { create: create!, files: files.filter(file => !file.startsWith('test/')) };
}

describe('a component that is added as the page on the sources says', () => {
  beforeAll(() => {
    cpSync(join(root, 'src'), inCopy('src'), { recursive: true });
    for (const name of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) {
      cpSync(join(root, name), inCopy(name));
    }
    symlinkSync(join(root, 'node_modules'), inCopy('node_modules'));
    for (const { path, text, edits } of additions) {
      const file = inCopy(`src/${path}`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      for (const [other, insertions] of Object.entries(edits)) {
        const name = inCopy(`src/${other}`);
        let changed = readFileSync(name, 'utf8');
        for (const [behind, more] of insertions) {
          expect(changed).toContain(behind);
          changed = changed.replace(behind, () => behind + more);
        }
        writeFileSync(name, changed);
      }
    }
  });

  it.each(additions)('needs no other files than the row of its kind names: $kind', addition => {
    const { create, files } = rowOf(addition.kind);
    const [, place] = /`([\w/-]+\/)`/.exec(create) ?? [];
    if (place !== undefined) expect(addition.path.startsWith(place)).toBe(true);
    expect(Object.keys(addition.edits).sort()).toEqual(files.sort());
  });

  it('trains, tags and is listed, all of them together', { tags: 'slow' }, () => {
    const node = (...words: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, words, {
        cwd: folder,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
      return stdout;
    };
    // With types, as some files are there for these alone.
    node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json');
    writeFileSync(inCopy('a.pairs'), 'ab=X cb=X ad=Y cd=Y\nad=Y ab=X\n');
    writeFileSync(
      inCopy('a.yaml'),
      `version: 1
name: a
source: { pairs: { files: [a.pairs] } }
stages:
  - featurize: { templates: ["U:%backwards[0,0]", "B"] }
  - batch
  - contribute: { loss: half }
  - optimize: { fixed-rate: { rate: 0.4 } }
train: { epochs: 20 }
model: { file: a.model, scorer: plain }
`,
    );
    writeFileSync(
      inCopy('code.mjs'),
      `import { train } from './dist/index.js';
import { halfLoss } from './dist/entries/losses.js';
import { fixedRate, plainGradients } from './dist/entries/optimizers.js';
const corpus = [{ tokens: ['ab', 'cd'], tags: ['X', 'Y'] }];
const features = { templates: ['U:%backwards[0,0]', 'B'] };
const common = { corpus, features, scorer: 'plain', loss: halfLoss() };
for (const optimizer of [fixedRate({ rate: 0.5 }), plainGradients()]) {
  const { tagger } = await train({ ...common, optimizer });
  console.log(tagger.tag(['cd', 'ab']).join(' '));
}
`,
    );
    expect(node('code.mjs')).toBe('Y X\nY X\n');
    const command = (...words: readonly string[]) => node('dist/cli/main.js', ...words);
    command('train', 'a.yaml');
    expect(command('tag', '--model', 'a.model', '--output', 'record', 'a.pairs')).toContain('ab=X');
    // Scorers are not listed; all others are.
    for (const name of ['half', 'fixed-rate', 'plain-gradients', 'pairs', 'echo', 'backwards']) {
      expect(command('components', name)).toContain(name);
    }
    writeFileSync(
      inCopy('echo.yaml'),
      `version: 1
name: echo
source: { ndjson: { from: { echo: { text: '{"tokens":["cd","ab"]}' } } } }
stages:
  - featurize: { model: a.model }
  - batch
  - tag
`,
    );
    expect(command('run', 'echo.yaml')).toContain('"tags":["Y","X"]');
    expect(command('greet')).toBe('hello\n');
  });
});
