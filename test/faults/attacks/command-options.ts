import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import yargs, { type CommandModule } from 'yargs';
import { root } from '../../cli/commands/run-command.js';

const folder = join(root, 'src/cli/commands');

/**
 * The options of all commands that take any text, and their arguments, as the help of each lists them:
 * `tag --model`, `corpora fetch names`. Numbers, switches and choices are left out.
 */
export async function textOptions(): Promise<string[]> {
  const names = readdirSync(folder).filter(name => name.endsWith('.ts'));
  const commands = await Promise.all(
    names.map(async name => {
      const module = (await import(join(folder, name))) as Record<string, unknown>;
      return Object.values(module).filter(isCommand);
    }),
  );
  return optionsBelow([], commands.flat());
}

async function optionsBelow(
  path: readonly string[],
  commands: readonly CommandModule[],
): Promise<string[]> {
  const parser = commands.reduce((before, command) => before.command(command), yargs([...path]));
  const help = await parser.scriptName('x').wrap(null).version(false).help(false).getHelp();
  const lines = help.split('\n');
  const at = lines.indexOf('Commands:');
  if (at < 0) return path.length === 0 ? [] : textOptionsIn(path.join(' '), lines);
  const below = lines.slice(at + 1).filter(line => line.startsWith('  x '));
  const found: string[] = [];
  for (const line of below) {
    const words = line.trim().split(/\s+/).slice(1);
    found.push(...(await optionsBelow(words.slice(0, path.length + 1), commands)));
  }
  return found;
}

function textOptionsIn(command: string, lines: readonly string[]): string[] {
  return lines.flatMap(line => {
    const [, names] = /^ {2}(\S+?(?:, \S+)*) .*\[(?:string|array)\]/.exec(line) ?? [];
    if (names === undefined || line.includes('[choices:')) return [];
    return [`${command} ${names.split(', ')[0]}`];
  });
}

function isCommand(value: unknown): value is CommandModule {
  return typeof value === 'object' && value !== null && 'command' in value && 'handler' in value;
}
