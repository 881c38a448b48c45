import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Random } from '../../../src/engine/core/random.js';
import { root } from '../../cli/commands/run-command.js';

/** A tagging command between pipes, which is killed. */
export interface PipeAttack {
  readonly given: readonly string[];
  readonly cwd: string;
  /** Records, one line of answer each. */
  readonly lines: readonly string[];
  readonly random: Random;
  readonly kills: number;
}

/**
 * Sends records to a command and kills it after a random number of answers; then sends again what was not
 * answered, as often as it takes.
 */
export async function killedPipe({ given, cwd, lines, random, kills }: PipeAttack) {
  const answers: string[] = [];
  const history: string[] = [];
  let killed = 0;
  while (answers.length < lines.length) {
    const command = [join(root, 'dist/cli/main.js'), ...given];
    const child = spawn(process.execPath, command, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    const remaining = lines.length - answers.length;
    const share = Math.ceil((2 * remaining) / (kills - killed + 1));
    const after = killed < kills ? random.below(share) : Number.POSITIVE_INFINITY;
    history.push(`killed after ${after} answers`);
    let text = '';
    let seen = 0;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) seen += 1;
      if (seen >= after) child.kill('SIGKILL');
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${lines.slice(answers.length).join('\n')}\n`);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (signal === 'SIGKILL') killed += 1;
    else if (code !== 0) throw new Error(`exit code ${code}: ${history.join('; ')}`);
    // What comes after the last line end was cut off.
    answers.push(...text.split('\n').slice(0, -1));
  }
  return { answers, history, kills: killed };
}
