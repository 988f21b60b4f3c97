import type { MarkKeys } from '../memory/mark-keys.ts';

/** What the renderers know of the world: all of it comes from the event and the settings, nothing from the model. */
export type RenderContext = {
  /** Such as https://github.com; null on a laptop. */
  readonly serverUrl: string | null;
  /** `owner/name`; null on a laptop. */
  readonly repository: string | null;
  /** Takes secrets out of a text; called on every text that Postil did not write. */
  readonly redact: (text: string) => string;
  /** The reviewer's name, as people see it. */
  readonly name: string;
  /** What the marks of a pull request are signed with; left out where nothing is posted. */
  readonly keys?: MarkKeys;
};

/** What it takes to show a text that a model or the pull request wrote. */
export type SanitiseOptions = Pick<RenderContext, 'serverUrl' | 'repository' | 'redact'>;
