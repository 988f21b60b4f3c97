import { isTestPath } from '../context/paths.ts';
import { type ChangedFile, isOpaque } from '../pull-request/changed-file.ts';
import { isReadLast } from '../pull-request/file-kinds.ts';

/** What a file is worth to a review, most first: a limit then cuts the least. */
export const fileClasses = ['source', 'test', 'document', 'configuration', 'generated'] as const;
export type FileClass = (typeof fileClasses)[number];

const documents = /\.(md|mdx|markdown|rst|adoc|txt|tex|org)$|(^|\/)(license|notice|authors|changelog|readme)[^/]*$/i;
const configuration =
  /\.(json|jsonc|json5|ya?ml|toml|ini|cfg|conf|properties|env|xml|plist|svg|csv|tsv|lock|editorconfig)$|(^|\/)\.[^/]+$/i;
// Workflows, containers and infrastructure are code that runs with rights: they count as source.
const runsWithRights =
  /(^|\/)\.github\/(workflows|actions)\/|(^|\/)action\.ya?ml$|(^|\/)dockerfile[^/]*$|\.tf$|(^|\/)(jenkinsfile|makefile|\.gitlab-ci\.yml)$/i;
const testData = /(^|\/)(testdata|fixtures|__fixtures__)\//;

// Built output repeats its source; it is looked at last, because what is hidden in it runs anyway.
const built = /(^|\/)dist\//;

export function classOf(file: ChangedFile): FileClass {
  if (isReadLast(file) || built.test(file.path)) return 'generated';
  if (runsWithRights.test(file.path)) return 'source';
  // An image explains code, it does not run.
  if (isOpaque(file)) return 'document';
  if (isTestPath(file.path) || testData.test(file.path)) return 'test';
  if (documents.test(file.path)) return 'document';
  return configuration.test(file.path) ? 'configuration' : 'source';
}
