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
