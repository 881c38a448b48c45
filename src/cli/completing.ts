import type { CommandModule } from 'yargs';

/** What the script of the shell asks for suggestions with; the line is then no command, and no mistake. */
export const completionKey = '--get-yargs-completions';

/** Whether the shell asks what may stand on the line. */
export const completing = process.argv.includes(completionKey);

/** A command as it is registered: while a line is being completed, none is ever done. */
export function registered<Given>(
  command: CommandModule<object, Given>,
): CommandModule<object, Given> {
  return completing ? { ...command, handler: () => undefined } : command;
}
