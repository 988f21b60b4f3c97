import type { Heading, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

export type RuleBody = {
  /** The Markdown without the sections of examples. */
  readonly guidance: string;
  readonly good: readonly string[];
  readonly bad: readonly string[];
};

/** Takes the examples out of a rule's body: each line of the code blocks below `## Good` and `## Bad` is one. */
export function readBody(markdown: string): RuleBody {
  const guidance: string[] = [];
  const examples = { good: [] as string[], bad: [] as string[] };
  let section: 'good' | 'bad' | null = null;
  let copied = 0;
  for (const node of topLevel(fromMarkdown(markdown))) {
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? start;
    if (node.type === 'heading') section = exampleSection(node);
    if (section === null) guidance.push(markdown.slice(copied, end));
    else if (node.type === 'code') examples[section].push(...node.value.split('\n').filter((line) => line !== ''));
    copied = end;
  }
  return { guidance: guidance.join('').trim(), ...examples };
}

function topLevel(root: Root): readonly RootContent[] {
  return root.children;
}

function exampleSection(heading: Heading): 'good' | 'bad' | null {
  const text = heading.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
  const name = text.trim().toLowerCase();
  return name === 'good' || name === 'bad' ? name : null;
}
