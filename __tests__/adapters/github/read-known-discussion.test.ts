import { afterEach, describe, expect, it } from 'vitest';
import { readKnownDiscussion } from '../../../src/adapters/github/read-known-discussion.ts';
import { pullAnswers } from './pull-answers.ts';
import { reference, reply, type Script, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

describe('a discussion that GitHub tells in part', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const answers = pullAnswers({ comments: 2, threads: 3, threadComments: 1 });

  /** GitHub refuses every query that asks for one of the connections. */
  const refusing = (...connections: readonly string[]): Script => {
    const forbidden = { type: 'FORBIDDEN', message: 'Resource not accessible by integration' };
    return (asked, to) => {
      const query = JSON.stringify(asked.body);
      const errors = connections
        .filter((name) => query.includes(`${name}(first: 100, after: $after)`))
        .map((name) => ({ ...forbidden, path: ['repository', 'pullRequest', name] }));
      if (errors.length === 0) return answers(asked, to);
      return reply(200, { data: { repository: { pullRequest: null } }, errors });
    };
  };
  const counted = async (script: Script) => {
    server = await scriptedGitHub(script);
    const { threads, conversation, reviews, missing } = await readKnownDiscussion(server.github, reference);
    return { found: [threads.length, conversation.length, reviews.length], missing, asked: server.log.length };
  };

  it('is one request when nothing is refused', async () => {
    expect(await counted(answers)).toEqual({ found: [3, 2, 0], missing: [], asked: 1 });
  });

  it('keeps what is not refused, and names what is', async () => {
    expect(await counted(refusing('reviewThreads'))).toEqual({
      found: [0, 2, 0],
      missing: ['The review threads could not be read: Resource not accessible by integration.'],
      asked: 4,
    });
  });

  it('keeps the threads when the reviews cannot be had', async () => {
    const { found, missing } = await counted(refusing('reviews'));
    expect([found, missing]).toEqual([
      [3, 2, 0],
      ['The reviews could not be read: Resource not accessible by integration.'],
    ]);
  });

  it('says it once when all is refused', async () => {
    const { found, missing } = await counted(refusing('reviewThreads', 'comments', 'reviews'));
    expect([found, missing]).toEqual([
      [0, 0, 0],
      ['The discussion (threads, comments and reviews) could not be read: Resource not accessible by integration.'],
    ]);
  });

  it('does not ask again for the parts when GitHub answers no query', async () => {
    const forbidden: Script = () => reply(403, { message: 'Forbidden' });
    expect(await counted(forbidden)).toEqual({
      found: [0, 0, 0],
      missing: ['The discussion (threads, comments and reviews) could not be read: Forbidden.'],
      asked: 1,
    });
  });
});
