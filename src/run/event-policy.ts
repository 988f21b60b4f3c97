import { isRecord } from '../core/bounded.ts';
import type { Repository } from '../core/repository/repository.ts';
import { readYaml } from '../core/settings/config-file.ts';

/** The default policy of GitHub Actions for public repositories, with the page that says so and how to allow the event. The docs name both. */
export const eventPolicy = {
  event: 'pull_request_target',
  from: '2 December 2026',
  link: 'https://docs.github.com/en/actions/how-tos/administer/control-workflow-execution',
} as const;

/**
 * Which of these files are workflows that the policy stops, and what to do; null where none is. Policies and the visibility of a repository are
 * not asked for: the first takes administration rights, which no token of a workflow has.
 */
export async function eventPolicyNote(
  paths: readonly string[],
  repository: Repository,
): Promise<{ readonly found: string; readonly todo: string } | null> {
  const { event, from, link } = eventPolicy;
  const stopped: string[] = [];
  for (const path of paths.filter((one) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(one))) {
    const content = await repository.readFile(path, 'head');
    if (content.kind === 'text' && listens(content.text)) stopped.push(path);
  }
  if (stopped.length === 0) return null;
  return {
    found: `${event} starts ${stopped.join(', ')}. From ${from} GitHub blocks this event in public repositories.`,
    todo: `If this repository is public: in Settings → Actions → Policies add a policy that targets this workflow alone and allows ${event}. ${link}`,
  };
}

function listens(text: string): boolean {
  const { values } = readYaml(text);
  // A file that GitHub may understand better than we do.
  if (!isRecord(values)) return text.split('\n').some((line) => line.split('#', 1)[0]?.includes(eventPolicy.event));
  // A parser of YAML 1.1 reads the key `on` as true.
  const on = values['on'] ?? values['true'];
  return isRecord(on) ? Object.hasOwn(on, eventPolicy.event) : [on].flat().includes(eventPolicy.event);
}
