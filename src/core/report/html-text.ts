/**
 * What a piece of HTML says: comments, declarations and the tags of real elements go, an image leaves a note. A tag of
 * no known element is what somebody wrote about (`List<String>`) and stays as text.
 */
export function textOfHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<[!?][^>]*(?:>|$)/g, '')
    .replace(/<\/?([a-z][a-z0-9-]*)(?:[^<>"']|"[^"]*"|'[^']*')*>?/gi, textOfTag)
    .trim();
}

function textOfTag(tag: string, name: string): string {
  const element = name.toLowerCase();
  if (element === 'img' || element === 'picture' || element === 'video') {
    return tag.startsWith('</') ? '' : '[image removed]';
  }
  if (element === 'br' || element === 'hr' || element === 'p') return '\n';
  return elements.has(element) ? '' : tag;
}

// Elements that a model writes in Markdown, and those that GitHub filters.
const elements = new Set(
  (
    'a abbr b base bdi bdo blockquote body button center cite code col colgroup dd del details dfn div dl dt em embed ' +
    'figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header html i iframe input ins kbd label ' +
    'li link main mark math meta nobr noembed noframes noscript object ol optgroup option plaintext pre q rp rt ruby s ' +
    'samp script section select small source span strike strong style sub summary sup svg table tbody td textarea ' +
    'tfoot th thead title tr track tt u ul var wbr xmp'
  ).split(' '),
);
