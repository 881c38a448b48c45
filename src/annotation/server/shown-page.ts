import { readFileSync } from 'node:fs';
import { pageFrame } from '../../reports/page/page.js';
import { threadFile } from '../../workers/thread-file.js';
import { pageStyle } from './page-style.js';

/** The page: its script is that of `page/main.ts`, bundled, and stands in it, so that it is known by its hash. */
export function shownPage(): string {
  const script = readFileSync(threadFile('annotation/page/main'), 'utf8');
  const { head, tail } = pageFrame({
    title: 'Label with Tagstream',
    style: pageStyle,
    script: script.replaceAll('</script', '<\\/script'),
    connects: true,
  });
  return `${head}<noscript>This page needs JavaScript.</noscript>\n<div id="page"></div>\n${tail}`;
}
