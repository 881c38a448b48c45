import type { CommandModule } from 'yargs';

/**
 * Thrown out of the parser instead of running a command: yargs lays out the whole help of a command whose
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

/** The parser turns a single `-` into an empty string; `refuseEmpty` makes sure that no other argument is empty. */
function withPipeline<Given>(given: Given): Given {
  const isStandardInput = (given as { readonly pipeline?: string }).pipeline === '';
  return isStandardInput ? { ...given, pipeline: '/dev/stdin' } : given;
}

/** What the script of the shell asks for suggestions with; the line is then no command, and no mistake. */
export const completionKey = '--get-yargs-completions';

/** Whether the shell asks for completions of the line. */
export const completing = process.argv.includes(completionKey);

/** What is known of a line that the parser refuses. */
export interface LineFacts {
  /** What is wrong, in the words of the parser. */
  readonly message: string;
  readonly words: readonly string[];
  /** Options of the command that the line names, or of all commands. */
  readonly options: readonly string[];
  /** All commands with their arguments, as `train <pipeline>`. */
  readonly commands: readonly string[];
}

/** Thrown out of the parser when it refuses a line; it is put into words later, as it is hardly ever needed. */
export class RefusedLine {
  readonly facts: LineFacts;

  constructor(facts: LineFacts) {
    this.facts = facts;
  }
}
