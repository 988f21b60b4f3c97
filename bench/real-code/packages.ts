/** A published package of real code. It is fetched when the bench runs; nothing of it is in this repository. */
export type CodePackage = {
  readonly language: string;
  readonly from: 'npm' | 'debian';
  /** With its version at npm; Debian gives the one of the machine's release. */
  readonly name: string;
  /** An older version of it: what changed since then is measured. Without one, pull requests are simulated. */
  readonly since?: string;
  /** The folder inside the package that stands for the repository. */
  readonly folder: string;
  readonly extension: RegExp;
};

export const packages: readonly CodePackage[] = [
  { language: 'TypeScript', from: 'npm', name: 'rxjs@7.8.1', folder: 'package/src', extension: /(?<!\.d)\.ts$/ },
  { language: 'TypeScript', from: 'npm', name: 'zod@4.1.12', folder: 'package/src', extension: /(?<!\.d)\.ts$/ },
  {
    language: 'TypeScript',
    from: 'npm',
    name: '@tanstack/query-core@5.90.2',
    folder: 'package/src',
    extension: /(?<!\.d)\.ts$/,
  },
  {
    language: 'TypeScript',
    from: 'npm',
    name: '@tanstack/query-core@5.90.2',
    since: '@tanstack/query-core@5.80.0',
    folder: 'package/src',
    extension: /(?<!\.d)\.ts$/,
  },
  { language: 'Python', from: 'debian', name: 'python3-werkzeug', folder: 'usr/lib/python3', extension: /\.py$/ },
  { language: 'Python', from: 'debian', name: 'python3-django', folder: 'usr/lib/python3', extension: /\.py$/ },
  { language: 'Python', from: 'debian', name: 'python3-sqlalchemy', folder: 'usr/lib/python3', extension: /\.py$/ },
  { language: 'Go', from: 'debian', name: 'golang-github-spf13-cobra-dev', folder: 'usr/share', extension: /\.go$/ },
  { language: 'Go', from: 'debian', name: 'golang-github-gin-gonic-gin-dev', folder: 'usr/share', extension: /\.go$/ },
  {
    language: 'Go',
    from: 'debian',
    name: 'golang-github-prometheus-client-golang-dev',
    folder: 'usr/share',
    extension: /\.go$/,
  },
  { language: 'Java', from: 'npm', name: '@capacitor/android@6.2.0', folder: 'package', extension: /\.java$/ },
  {
    language: 'Java',
    from: 'npm',
    name: '@capacitor/android@6.2.0',
    since: '@capacitor/android@5.0.0',
    folder: 'package',
    extension: /\.java$/,
  },
  { language: 'Ruby', from: 'debian', name: 'ruby-rack', folder: 'usr', extension: /\.rb$/ },
  { language: 'Rust', from: 'debian', name: 'librust-regex-dev', folder: 'usr', extension: /\.rs$/ },
  { language: 'PHP', from: 'debian', name: 'php-twig', folder: 'usr', extension: /\.php$/ },
];
