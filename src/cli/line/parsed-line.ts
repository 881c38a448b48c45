import type { CommandModule } from 'yargs';

/**
 * Thrown out of the parser instead of running a command: yargs formats the whole help of a command
 * whose handler returns, even if it is not requested, which takes longer than loading a model.
 */
export class FoundCommand {
  readonly run: () => Promise<void>;

  constructor(run: () => Promise<void>) {
    this.run = run;
  }
}

/** Registers a command that is found but not run, and during completion not even found. */
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

/**
 * The option with which the shell script requests suggestions; the line is then neither a command
 * nor an error.
 */
export const completionKey = '--get-yargs-completions';

/** Whether the shell requests completions of the line. */
export const completing = process.argv.includes(completionKey);

/** Facts known about a line that the parser rejects. */
export interface LineFacts {
  /** Parser's message about the error. */
  readonly message: string;
  readonly words: readonly string[];
  /** Options of the command that the line names, or of all commands. */
  readonly options: readonly string[];
  /** All commands with their arguments, such as `train <pipeline>`. */
  readonly commands: readonly string[];
}

/**
 * Thrown out of the parser when it rejects a line. The error text is made later, because it
 * is rarely needed.
 */
export class RefusedLine {
  readonly facts: LineFacts;

  constructor(facts: LineFacts) {
    this.facts = facts;
  }
}
