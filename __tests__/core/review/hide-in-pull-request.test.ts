import { expect, it } from 'vitest';
import { hiddenInPullRequest } from '../../../src/core/review/hide-in-pull-request.ts';
import { pullRequest } from '../../fakes/review-record.ts';

const secret = 'k3Jd8sLq0Zx7Vb2N';

it('takes what is hidden out of everything that people and CI wrote', () => {
  const said = `see ${secret}`;
  const comment = {
    id: '1',
    author: 'ada',
    date: '2026-01-01T00:00:00Z',
    body: said,
    isSelf: false,
    url: null,
    restId: null,
    thumbsDown: [],
    isMinimized: false,
    viewerCanMinimize: false,
  };
  const hidden = hiddenInPullRequest(
    {
      ...pullRequest,
      title: said,
      body: said,
      labels: [said],
      commits: [{ sha: 'a'.repeat(40), message: said, author: 'ada', date: '2026-01-01' }],
      linked: {
        issues: [{ repository: 'o/r', number: 1, title: said, body: said }],
        otherIssues: 0,
        checks: [{ name: said, workflow: said, run: null, state: 'failed', conclusion: said }],
      },
      conversation: [comment],
    },
    (text) => text.replaceAll(secret, '[hidden]'),
  );
  expect(JSON.stringify(hidden)).not.toContain(secret);
  expect(hidden.head).toEqual(pullRequest.head);
});
