import { TagstreamError } from '../../engine/core/errors.js';
import { nearest } from '../../engine/core/wording/nearest.js';
import { trainOptions } from '../../runtime/pipeline/options/train-options.js';
import type { LineFacts } from './parsed-line.js';

/** Error of a line, and a hint where the options are listed. */
export interface UsageError {
  readonly error: TagstreamError;
  readonly hint: string;
}

/** Commands that accept settings of a pipeline file. */
const withSettings: readonly string[] = ['train', 'run', 'curve', 'crossval'];

/**
 * Returns the error for a line that the parser rejects: the problem, the likely fix, and where the
 * options are listed.
 *
 * @example
 * const line = { message: 'Unknown argument: modle', words: ['tag', '--modle', 'm'], options: ['model'], commands: ['tag [inputs..]'] };
 * usageError(line).error.message // => 'unknown option --modle (did you mean --model?)'
 * usageError(line).hint // => 'tagstream tag --help lists the options'
 */
export function usageError(facts: LineFacts): UsageError {
  const usage = usageOf(facts);
  const { problem, fix } = explained(facts, usage);
  const { name } = usage;
  const isGroup = insideOf(name, facts).length > 0;
  return {
    error: new TagstreamError('usage', problem, fix === undefined ? {} : { fix }),
    hint: `tagstream${name === '' ? '' : ` ${name}`} --help lists the ${isGroup ? 'commands' : 'options'}`,
  };
}

/** The command named in a line. */
interface Usage {
  /** Name of the command, two words in a group; empty if there is none. */
  readonly name: string;
  /** Name with arguments. */
  readonly text: string;
}

function usageOf({ words, commands }: LineFacts): Usage {
  const usages = commands.map(text => ({ text, name: text.split(/ ?[<[]/, 1)[0]! }));
  const named = usages.filter(({ name }) => name.split(' ').every((part, i) => words[i] === part));
  return named.sort((a, b) => b.name.length - a.name.length)[0] ?? { name: '', text: '<command>' };
}

/** Returns the commands of a group; without a group name, the top-level commands. */
function insideOf(name: string, { commands }: LineFacts): readonly string[] {
  const group = name === '' ? '' : `${name} `;
  return commands
    .filter(command => command.startsWith(group))
    .map(command => command.slice(group.length).split(' ')[0]!)
    .filter(command => /^[a-z]/.test(command));
}

interface Explained {
  readonly problem: string;
  readonly fix?: string | undefined;
}

function explained(facts: LineFacts, usage: Usage): Explained {
  for (const [pattern, explain] of patterns) {
    const match = pattern.exec(facts.message);
    if (match !== null) return explain(match.slice(1), facts, usage);
  }
  return { problem: facts.message };
}

/** Other programs' names for these commands. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ predict: 'tag', label: 'tag', apply: 'tag', ner: 'tag', pipe: 'tag', fit: 'train' },
  ...{ learn: 'train', evaluate: 'eval', score: 'eval', report: 'eval', dump: 'inspect' },
  ...{ explain: 'inspect', new: 'init', create: 'init', 'cross-validate': 'crossval' },
  ...{ download: 'corpora', fetch: 'corpora' },
};

/** Reasons why two options cannot be combined, if they need explaining. */
const conflicts: Readonly<Record<string, string>> = {
  'replay resume':
    '--replay reads rejected records, --resume continues with the input: resume first, then replay in a run without checkpoints that starts from the model, with train.start',
  'checkpoint replay': 'run a replay separately, with its own output file; it cannot be resumed',
};

type Explain = (parts: readonly string[], facts: LineFacts, usage: Usage) => Explained;

/** Parser messages, and their replacements. */
const patterns: readonly (readonly [RegExp, Explain])[] = [
  [
    /^Unknown (?:argument|command)s?: ([^,]*)/,
    ([key], facts, usage) => {
      const option = optionWith(key!, facts.words);
      if (option === undefined) return unknownWord(key!, facts, usage);
      return unknown(option, facts, usage);
    },
  ],
  [
    /^Did you mean (\S+)\?$/,
    (_, facts, usage) => {
      const place = usage.name === '' ? 0 : usage.name.split(' ').length;
      return unknownWord(argumentsOf(facts.words)[place] ?? '', facts, usage);
    },
  ],
  [
    /^Missing required arguments?: (\S+)/,
    ([name], facts, usage) => {
      const mistyped = unknownOption(facts);
      if (mistyped !== undefined) return unknown(mistyped, facts, usage);
      const given = argumentsOf(facts.words).find(word => word.endsWith('.model'));
      const value = name === 'model' && given !== undefined ? ` before ${given}` : ' and its value';
      return { problem: `--${name} is missing`, fix: `add --${name}${value}` };
    },
  ],
  [
    /^Not enough non-option arguments/,
    (_, _facts, { name, text }) => ({
      problem: `${name} needs an argument`,
      fix: `write tagstream ${text}${text.includes('<pipeline') ? '; tagstream init FILE writes a pipeline file' : ''}`,
    }),
  ],
  [
    /^Not enough arguments following: (\S+)$/,
    ([name]) => ({ problem: `--${name} needs a value`, fix: 'write it after the option' }),
  ],
  [
    // The message has the parser's English text if it finds its message files, which it does not in
    // a bundle.
    /^(?:Implications failed|Missing dependent arguments):\s+(\S+) -> (\S+)/,
    ([name, needed]) => ({ problem: `--${name} needs --${needed}`, fix: `add --${needed}` }),
  ],
  [
    /^Arguments (\S+) and (\S+) are mutually exclusive$/,
    ([one, other]) => ({
      problem: `--${one} cannot be combined with --${other}`,
      fix: conflicts[[one, other].sort().join(' ')] ?? 'leave one of them out',
    }),
  ],
  [
    /^Invalid values:\s+Argument: (\S+), Given: (.*), Choices: (.*)$/m,
    ([name, given, choices]) => ({
      problem: `--${name} cannot be ${given}`,
      fix: `it can be ${choices}`,
    }),
  ],
];

/** Returns the words of a line that are not options. */
function argumentsOf(words: readonly string[]): readonly string[] {
  return words.filter(word => !word.startsWith('-'));
}

/** Returns the option in a line that corresponds to a parser key. */
function optionWith(key: string, words: readonly string[]): string | undefined {
  return words
    .filter(word => word.startsWith('-') && word.length > 1)
    .map(word => word.replace(/=.*$/s, ''))
    .find(word => keyOf(word) === keyOf(key) || (!word.startsWith('--') && word.includes(key)));
}

function nameOf(option: string): string {
  return option.replace(/^-+(?:no-)?/, '');
}

function keyOf(option: string): string {
  return nameOf(option).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the first long option of a line that the command does not have. */
function unknownOption({ words, options }: LineFacts): string | undefined {
  const keys = new Set(options.map(keyOf));
  return words
    .filter(word => word.startsWith('--') && word.length > 2)
    .map(word => word.replace(/=.*$/s, ''))
    .find(word => !keys.has(keyOf(word)));
}

function unknown(option: string, facts: LineFacts, usage: Usage): Explained {
  return { problem: `unknown option ${option}`, fix: meantBy(option, facts, usage) };
}

/** Returns the option that was probably meant by an unknown one. */
function meantBy(option: string, { options }: LineFacts, { name }: Usage): string | undefined {
  const given = nameOf(option);
  if (withSettings.includes(name)) {
    const key = keyOf(option);
    if (Object.hasOwn(trainOptions.shape, key)) return `write --set train.${key}=VALUE`;
    if (name !== 'curve' && ['out', 'output', 'o'].includes(given)) {
      return 'write the model elsewhere with --model PATH, or --set model=PATH, a path from the folder of the pipeline file';
    }
  }
  // A short option is probably the first letter of a name.
  const named = options.filter(each => given.length > 1 || each.startsWith(given));
  const near = nearest(given, named) ?? nearest(given, options);
  return near && `did you mean --${near}?`;
}

function unknownWord(word: string, facts: LineFacts, { name, text }: Usage): Explained {
  const inside = insideOf(name, facts);
  if (inside.length === 0) {
    return {
      problem: `unexpected argument ${word}`,
      fix: `write tagstream ${text}`,
    };
  }
  const near = name === '' ? (synonyms[word] ?? nearest(word, inside)) : nearest(word, inside);
  return {
    problem: `there is no command ${name === '' ? '' : `${name} `}${word}`,
    fix: near && `did you mean ${near}?`,
  };
}
