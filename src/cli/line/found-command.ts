import type { CommandModule } from 'yargs';

/**
 * Thrown out of the parser in place of doing a command: yargs lays out the whole help of a command whose
 * handler returns, whether anybody asks for it or not, which takes longer than to load a model.
 */
export class FoundCommand {
  readonly run: () => Promise<void>;

  constructor(run: () => Promise<void>) {
    this.run = run;
  }
}

/** A command as it is registered: it is found, not done. While a line is being completed, not even that. */
export function registered<Given>(
  command: CommandModule<object, Given>,
): CommandModule<object, Given> {
  return {
    ...command,
    handler: given => {
      if (!completing) throw new FoundCommand(async () => command.handler(withPipeline(given)));
    },
  };
}

/** The parser makes an empty text of `-` in place of one file; no other text is empty, as `refuseEmpty` sees to. */
function withPipeline<Given>(given: Given): Given {
  const isStandardInput = (given as { readonly pipeline?: string }).pipeline === '';
  return isStandardInput ? { ...given, pipeline: '/dev/stdin' } : given;
}

/** What the script of the shell asks for suggestions with; the line is then no command, and no mistake. */
export const completionKey = '--get-yargs-completions';

/** Whether the shell asks what may stand on the line. */
export const completing = process.argv.includes(completionKey);
