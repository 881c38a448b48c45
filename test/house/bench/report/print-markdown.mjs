import { sections } from '../sections/sections.mjs';
import { cellsOf, growthCellsOf, growthHead, head } from './print-report.mjs';

/**
 * Prints a page: what was measured with, and for each section its question and its tables.
 *
 * @param {object} report
 * @param {{ write: (text: string) => unknown }} output
 */
export function printMarkdown({ date, commit, node, processors, corpus, ...report }, output) {
  output.write('# Measurements\n\n');
  output.write(`${date}, commit ${commit ?? 'unknown'}, Node ${node}, ${processors}. `);
  output.write(`Corpus: ${corpus.name}. Times are medians; ratios are of one run.\n`);
  for (const [name, { question }] of Object.entries(sections)) {
    const rows = report.rows.filter(row => row.section === name);
    const growth = report.growth.filter(table => table.section === name);
    if (rows.length === 0 && growth.length === 0) continue;
    output.write(`\n## ${question}\n\n\`npm run bench -- --only ${name}\`\n`);
    if (rows.length > 0) output.write(`\n${table(head, rows.map(cellsOf))}`);
    for (const { title, rows: measured } of growth) {
      const columns = [title, ...growthHead.slice(1)];
      output.write(`\n${table(columns, measured.map(growthCellsOf))}`);
    }
  }
}

/** A table of Markdown, without the columns of which no row has anything. */
function table(columns, rows) {
  const shown = columns.map((_, c) => c === 0 || rows.some(row => row[c] !== ''));
  const line = cells => `| ${cells.filter((_, c) => shown[c]).join(' | ')} |\n`;
  const rule = columns.map((_, c) => (c === 0 ? '---' : '---:'));
  return [columns, rule, ...rows].map(line).join('');
}
