/** Tells for the lines of a Markdown file, in order, whether each belongs to a fenced block, its two fences included. */
export function fenceTracker(): (line: string) => boolean {
  let open: string | null = null;
  return (line) => {
    // In a list or a quotation a fence stands further in.
    const fence = /^[\s>]{0,40}(?:[-*+]\s{1,4})?(`{3,}|~{3,})(.*)$/.exec(line);
    const marks = fence?.[1] ?? '';
    if (open !== null) {
      if (marks.startsWith(open) && (fence?.[2] ?? '').trim() === '') open = null;
      return true;
    }
    // Backticks behind backticks are code in a line of text.
    if (marks === '' || (marks.startsWith('`') && (fence?.[2] ?? '').includes('`'))) return false;
    open = marks;
    return true;
  };
}
