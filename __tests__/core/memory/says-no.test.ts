import { describe, expect, it } from 'vitest';
import { stanceOf } from '../../../src/core/memory/says-no.ts';

describe('a reply', () => {
  it.each([
    "Won't fix.",
    'wontfix',
    'This is a false positive',
    'Not a bug, the caller checks it.',
    'That is by design.',
    'This is intentional: see the docs.',
    'Works as intended',
    'N/A',
    'I disagree, the list is never empty.',
    'Please ignore this.',
    'Leave it as is.',
    'No, that cannot happen.',
    'Nope',
    '👎',
    "That's fine here.",
    'Out of scope for this change.',
    'Das ist so gewollt.',
    'C’est voulu.',
    'No es un error',
    '> The loop reads one past the end\n\nfalse positive',
  ])('refuses: %s', (text) => {
    expect(stanceOf(text)).toBe('refuses');
  });

  it.each([
    'Good catch, fixed!',
    "You're right, I'll fix it.",
    'This is not a false positive.',
    'Not intentional, thanks.',
    'Agreed.',
    "Please don't ignore this.",
    'I thought it was intended. Fixed in 1a2b3c.',
  ])('agrees: %s', (text) => {
    expect(stanceOf(text)).toBe('agrees');
  });

  it.each([
    'Is this a false positive?',
    'Hm.',
    'Can you show an example?',
    '> false positive\n\nWhat does that mean?',
    '`wontfix` is the label we use elsewhere',
    'The nodes are intentionally-sorted-list items',
    '',
  ])('takes no side: %s', (text) => {
    expect(stanceOf(text)).toBe('neither');
  });
});
