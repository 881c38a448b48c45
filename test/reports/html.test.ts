import { describe, expect, it } from 'vitest';
import { escapeHtml, html } from '../../src/reports/page/html.js';
import { pageFrame } from '../../src/reports/page/page.js';

describe('escapeHtml', () => {
  it('leaves nothing that begins markup, ends a value or cannot be held', () => {
    expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe(
      '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
    );
    expect(escapeHtml('a\0b\x1b[31mc\x7f\x85\td\n')).toBe('a\ufffdb\ufffd[31mc\ufffd\ufffd\td\n');
    expect(escapeHtml('\ud800x\udc00 \u{1f600}')).toBe('\ufffdx\ufffd \u{1f600}');
  });
});

describe('html', () => {
  it('escapes all that is put in but markup', () => {
    const inner = html`<b>${'<'}</b>`;
    expect(html`${inner}|${'"'}|${[1, [inner, '&']]}|${undefined}|${0}`.text).toBe(
      '<b>&lt;</b>|&quot;|1<b>&lt;</b>&amp;||0',
    );
  });
});

describe('pageFrame', () => {
  it('lets only its own style and script take effect', () => {
    const { head, tail } = pageFrame({ title: '</title>', style: 'p{}', script: 'let a' });
    expect(head).toContain('<title>&lt;/title&gt;</title>');
    // SHA-256 of the two texts, as openssl gives it.
    expect(head).toContain("default-src 'none'");
    expect(head).toContain("style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='");
    expect(head).toContain("script-src 'sha256-IfEXP/8HLuXoAiy0hZVrCAcjcLsZqYFpLOHDGj8enqE='");
    expect(tail).toBe('<script>let a</script>\n</body>\n</html>\n');
    expect(pageFrame({ title: 'a', style: '' }).head).not.toContain('script-src');
  });
});
