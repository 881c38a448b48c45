import type { CommandModule } from 'yargs';
import yargs from 'yargs';
import { TagstreamError, thrownMessage } from '../engine/core/errors.js';
import { visible } from '../engine/text/visible.js';
import {
  type StandardStreams,
  standardStreams,
  withStandardStreams,
} from '../formats/files/standard-streams.js';
import { annotateCommand } from './commands/annotate.js';
import { clusterCommand, clusterCommands } from './commands/cluster.js';
import { clustersCommand } from './commands/clusters.js';
import { componentsCommand } from './commands/components.js';
import { convertCommand } from './commands/convert.js';
import { corporaCommand, corporaCommands } from './commands/corpora.js';
import { crossvalCommand } from './commands/crossval.js';
import { curveCommand } from './commands/curve.js';
import { evalCommand } from './commands/eval.js';
import { exportCommand } from './commands/export.js';
import { initCommand } from './commands/init.js';
import { inspectCommand } from './commands/inspect.js';
import { modelsCommand, modelsCommands } from './commands/models.js';
import { poolCommand } from './commands/pool.js';
import { presetsCommand } from './commands/presets.js';
import { runCommand } from './commands/run.js';
import { schemaCommand } from './commands/schema.js';
import { serveCommand } from './commands/serve.js';
import { studyCommand } from './commands/study.js';
import { tagCommand } from './commands/tag.js';
import { testCommand } from './commands/test.js';
import { tokenizeCommand } from './commands/tokenize.js';
import { trainCommand } from './commands/train.js';
import { validateCommand } from './commands/validate.js';
import type { Suggest } from './line/complete.js';
import {
  completing,
  completionKey,
  FoundCommand,
  RefusedLine,
  registered,
} from './line/parsed-line.js';
import { flag } from './options/option-kinds.js';
import { exitCodeOf } from './report/error-facts.js';
import { printError } from './report/terminal.js';
import { version } from './version.js';

/** The commands that are not part of another command. */
const commands = [
  initCommand,
  annotateCommand,
  trainCommand,
  tagCommand,
  serveCommand,
  evalCommand,
  curveCommand,
  crossvalCommand,
  studyCommand,
  poolCommand,
  inspectCommand,
  runCommand,
  testCommand,
  validateCommand,
  exportCommand,
  convertCommand,
  tokenizeCommand,
  componentsCommand,
  presetsCommand,
  clustersCommand,
  corporaCommand,
  clusterCommand,
  modelsCommand,
  schemaCommand,
];

/**
 * Runs a command line to its end, and reports errors on the standard error. The folder and the
 * environment are those of the process.
 *
 * @param words the words after `tagstream`
 * @param streams input and outputs, which also receive the exit code; default: those of the
 * process. The parser prints help, the version and completions to the process's standard output,
 * and ends the process
 * @returns the exit code
 */
export async function run(words: readonly string[], streams?: StandardStreams): Promise<number> {
  const work = async () => {
    await readLine(words)
      .catch(runFound)
      .catch(thrown => fail(thrown, words.includes('--verbose')));
    return Number(standardStreams().exitCode ?? 0);
  };
  return streams === undefined ? work() : withStandardStreams(streams, work);
}

/** Parses the line, and handles help and completion; throws the named command. */
async function readLine(words: readonly string[]): Promise<void> {
  if (!completing) refuseEmpty(words);
  const line = yargs(optionalValues(words));
  for (const command of commands) line.command(registered(command as CommandModule));
  await line
    .scriptName('tagstream')
    // The parser's messages are recognized by their English words.
    .detectLocale(false)
    .usage('$0 <command>\n\nTrain, run and update sequence taggers on streams.')
    .completion(
      'completion',
      'print a completion script for bash; for zsh: SHELL=zsh tagstream completion',
      (current: string, _given: unknown, suggest: Suggest, done: (found: string[]) => unknown) => {
        const words = process.argv.slice(process.argv.indexOf(completionKey) + 1);
        void import('./line/complete.js')
          .then(({ complete }) => complete(current, words, suggest))
          .then(done, () => done([]));
      },
    )
    .option('verbose', flag('show stack traces of errors', { global: true }))
    .demandCommand(completing ? 0 : 1, 'no command given')
    .strict(!completing)
    .check(given => completing || requireSingle(given))
    .recommendCommands()
    .wrap(100)
    .version(version())
    .fail((message: string | null, error: Error | undefined, parser) => {
      if (completing) return;
      // yargs has its own errors, such as for an option without its value; all others belong to the
      // command.
      if (error !== undefined && error.name !== 'YError') throw error;
      if (words.length === 0) parser.showHelp('error');
      throw new RefusedLine({
        message: message ?? error?.message ?? 'the command cannot be read',
        words,
        options: Object.keys((line as unknown as KnowsOptions).getOptions().key),
        commands: [
          ...commands.map(({ command }) => `${command}`),
          ...corporaCommands.map(({ command }) => `${corporaCommand.command} ${command}`),
          ...clusterCommands.map(({ command }) => `${clusterCommand.command} ${command}`),
          ...modelsCommands.map(({ command }) => `${modelsCommand.command} ${command}`),
        ],
      });
    })
    .parseAsync();
}

async function runFound(thrown: unknown): Promise<void> {
  if (!(thrown instanceof FoundCommand)) throw thrown;
  await thrown.run();
}

/** A method of the parser missing from its types. */
interface KnowsOptions {
  getOptions(): { readonly key: Readonly<Record<string, unknown>> };
}

async function fail(thrown: unknown, verbose: boolean): Promise<void> {
  if (!(thrown instanceof RefusedLine)) return report(thrown, verbose);
  const { usageError } = await import('./line/usage-error.js');
  const { error, hint } = usageError(thrown.facts);
  report(error, verbose);
  if (thrown.facts.words.length > 0) printError(`${hint}\n`);
}

function report(error: unknown, verbose: boolean): void {
  const text = thrownMessage(error);
  // A message is printed on one line, whatever names and data it contains.
  printError(`tagstream: ${verbose && error instanceof Error ? error.stack : visible(text)}\n`);
  standardStreams().exitCode = exitCodeOf(error);
}

/**
 * Rejects empty arguments, which unset shell variables produce: an empty host would mean all
 * addresses, and an empty number 0.
 *
 * @throws TagstreamError `usage`
 * @example
 * refuseEmpty(['tag', '--model', 'm.model']) // => undefined
 * (() => { try { refuseEmpty(['tag', '--model', '']); } catch (e) { return e.problem; } })() // => 'the argument after --model is empty'
 */
export function refuseEmpty(given: readonly string[]): void {
  const at = given.findIndex(argument => argument === '' || /^--[^=]+=$/.test(argument));
  if (at < 0) return;
  const before = given[at - 1];
  const problem =
    given[at] !== ''
      ? `the value of ${given[at]!.slice(0, -1)} is empty`
      : before === undefined
        ? 'the first argument is empty'
        : `the argument after ${before} is empty`;
  throw new TagstreamError('usage', problem, {
    fix: 'give a value or omit the option; an unset shell variable is empty',
  });
}

/** Options whose value is optional, with their possible values and their default. */
const optional: Readonly<
  Record<string, { readonly values: readonly string[]; readonly without: string }>
> = {
  '--marginals': { values: ['all', 'pairs', 'chosen'], without: 'chosen' },
};

/**
 * Returns the words of a line with optional values filled in: the word after such an option is its
 * value if that is possible, otherwise an input.
 *
 * @example
 * optionalValues(['tag', '--marginals', 'all', 'a.txt']) // => ['tag', '--marginals=all', 'a.txt']
 * optionalValues(['tag', '--marginals', 'a.txt']) // => ['tag', '--marginals=chosen', 'a.txt']
 */
export function optionalValues(words: readonly string[]): string[] {
  const made: string[] = [];
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]!;
    const option = i < end && Object.hasOwn(optional, word) ? optional[word] : undefined;
    if (option === undefined) {
      made.push(word);
      continue;
    }
    const next = words[i + 1];
    const isValue = next !== undefined && option.values.includes(next);
    made.push(`${word}=${isValue ? next : option.without}`);
    if (isValue) i += 1;
  }
  return made;
}

/** Options that may be repeated. */
const lists: ReadonlySet<string> = new Set([
  'inputs',
  'models',
  'alias',
  'cors',
  'names',
  'pipelines',
  'lists',
  'raw-text',
  'rawText',
  'rejected',
  'grid',
  'set',
  'challenge',
  'only',
  'use',
  'on-bad',
  'onBad',
]);

/** Further options that may be repeated, by command. */
const listsOf: Readonly<Record<string, ReadonlySet<string>>> = {
  tag: new Set(['model', 'column']),
  eval: new Set(['model', 'column']),
  export: new Set(['column']),
};

/**
 * Rejects an option that occurs more than once on the command line, as only one of its values would
 * be used.
 *
 * @throws TagstreamError `usage`
 * @example
 * requireSingle({ _: ['tag'], html: 'a.html', inputs: ['a', 'b'] }) // => true
 */
export function requireSingle(given: Readonly<Record<string, unknown>>): true {
  const [command = ''] = given._ as readonly string[];
  const own = Object.hasOwn(listsOf, command) ? listsOf[command] : undefined;
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value) || name === '_' || name === '--') continue;
    if (lists.has(name) || own?.has(name) === true) continue;
    throw new TagstreamError('usage', `--${name} occurs ${value.length} times`, {
      fix: 'give it only once',
    });
  }
  return true;
}
