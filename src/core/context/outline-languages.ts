/** Patterns of lines that declare something, by language; null when the language is not known. */
export function languageOf(path: string): readonly RegExp[] | 'markdown' | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  if (extension === 'md' || extension === 'mdx' || extension === 'markdown') return 'markdown';
  return languages.find((language) => language.extensions.includes(extension))?.patterns ?? null;
}

type Language = { readonly extensions: readonly string[]; readonly patterns: readonly RegExp[] };

const modifiers =
  '(?:public|private|protected|internal|static|final|abstract|override|virtual|async|sealed|synchronized|default|partial|open|suspend|inline|data|inner|unsafe|extern|readonly|native|companion|operator|const|export|declare)';

function types(keywords: string): RegExp {
  return new RegExp(`^\\s*(?:@\\w+\\s+)?(?:${modifiers}\\s+)*(?:${keywords})\\s+[\\w$]`);
}

// A modifier, then no `=`, `;` or `(` up to the name in front of the parameters.
const modifiedMethod = new RegExp(`^\\s*${modifiers}\\s[^=;(]*\\w\\s*\\(`);

const languages: readonly Language[] = [
  {
    extensions: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte', 'astro'],
    patterns: [
      types('class|interface|enum|namespace|module|type'),
      /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\b/,
      /^(?:export\s+)?(?:const|let|var)\s+[\w$]+.*(?:=>|\bfunction\b)/,
      /^export\s+(?:const|let|var|default)\s/,
      // A method ends in `) {` or `): Type {`; a call that takes a function ends in `=> {`.
      /^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set|abstract)\s+)*[#\w$]+\s*\([^;]*(?:[^=;]>|[^>\s;])\s*\{\s*$/,
      /^\s*(?:describe|it|test)(?:\.\w+)?\(\s*['"`]/,
    ],
  },
  { extensions: ['py', 'pyi'], patterns: [/^\s*(?:async\s+)?(?:def|class)\s+\w/] },
  { extensions: ['go'], patterns: [/^(?:func|type)\s/, /^(?:var|const)\s+\w/] },
  { extensions: ['java', 'groovy'], patterns: [types('class|interface|enum|record|@interface'), modifiedMethod] },
  { extensions: ['kt', 'kts'], patterns: [types('class|interface|object|fun|typealias')] },
  { extensions: ['scala'], patterns: [types('class|trait|object|def|enum')] },
  { extensions: ['cs'], patterns: [types('class|interface|enum|record|struct|namespace|delegate'), modifiedMethod] },
  { extensions: ['swift'], patterns: [types('class|struct|protocol|enum|extension|func|actor'), /^\s*init\s*[?(]/] },
  { extensions: ['rb', 'rake'], patterns: [/^\s*(?:private\s+)?(?:def|class|module)\s+\S/] },
  {
    extensions: ['rs'],
    patterns: [
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|default|extern "C")\s+)*(?:fn|struct|enum|trait|impl|mod|type|union)\b/,
      /^\s*macro_rules!/,
    ],
  },
  {
    extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hpp', 'hh', 'm', 'mm'],
    patterns: [
      /^\s*(?:class|struct|enum|union|namespace)\s+[^;]*$/,
      /^\s*(?:typedef|template)\b/,
      /^#define\s+\w/,
      /^[A-Za-z_][\w\s*&:<>,~]*\([^;]*$/,
    ],
  },
  { extensions: ['php'], patterns: [types('class|interface|trait|enum|function|namespace')] },
  { extensions: ['sh', 'bash', 'zsh'], patterns: [/^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\))/] },
  { extensions: ['sql'], patterns: [/^\s*(?:create|alter)\s+(?:or\s+replace\s+)?\w/i] },
  { extensions: ['yml', 'yaml'], patterns: [/^ {0,2}[\w"'./-]+:(?:\s|$)/] },
  { extensions: ['toml', 'ini', 'cfg'], patterns: [/^\[/] },
  { extensions: ['proto'], patterns: [types('message|enum|service|rpc')] },
];
