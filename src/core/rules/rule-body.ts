import type { Heading, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

export type RuleBody = {
  /** The Markdown without the sections of examples. */
  readonly guidance: string;
  readonly good: readonly ExampleBlock[];
  readonly bad: readonly ExampleBlock[];
};

export type ExampleBlock = {
  readonly text: string;
  /** The first word behind the opening fence; null without one. */
  readonly language: string | null;
};

/** Takes the examples out of a rule's body: the code blocks below `## Good` and `## Bad`. */
export function readBody(markdown: string): RuleBody {
  const guidance: string[] = [];
  const examples = { good: [] as ExampleBlock[], bad: [] as ExampleBlock[] };
  let section: 'good' | 'bad' | null = null;
  let copied = 0;
  for (const node of topLevel(fromMarkdown(markdown))) {
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? start;
    if (node.type === 'heading') section = exampleSection(node);
    if (section === null) guidance.push(markdown.slice(copied, end));
    else if (node.type === 'code') examples[section].push({ text: node.value, language: node.lang ?? null });
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
