/** What the script of the shell asks for suggestions with; the line is then no command, and no mistake. */
export const completionKey = '--get-yargs-completions';

/** Whether the shell asks what may stand on the line. */
export const completing = process.argv.includes(completionKey);
