// Watches a file while the process may open no other, and again when it may. Prints what it hears of.
import { closeSync, openSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { watchFile } from '../../../dist/formats/reading/watch-file.js';

const folder = process.argv[2];
const at = name => join(folder, name);
for (const name of ['it', '1', '2']) writeFileSync(at(name), name);

const taken = [];
try {
  for (;;) taken.push(openSync('/dev/null'));
} catch (error) {
  if (error.code !== 'EMFILE') throw error;
}

let replaced = 0;
const say = text => process.stdout.write(`${text}\n`);
const watching = watchFile(at('it'), {
  onReplaced: () => {
    replaced += 1;
    say('replaced');
  },
  onUnwatched: cause => say(`unwatched: ${cause.code}`),
});
renameSync(at('1'), at('it'));
while (replaced < 1) await pause(10);

for (const file of taken) closeSync(file);
const watches = () =>
  readdirSync('/proc/self/fd').some(name => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes('inotify');
    } catch {
      return false;
    }
  });
while (!watches()) await pause(10);
say('watched again');
renameSync(at('2'), at('it'));
while (replaced < 2) await pause(10);
watching.close();
