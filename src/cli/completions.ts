import { type Command, defineCommand, type Flag } from './command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Of the table of commands, itself included. */
export function completionsOf(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completions',
    operand: 'SHELL',
    about: 'Print what completes commands, flags and values in bash, zsh or fish.',
    flags: [],
    more: [
      'bash, in ~/.bashrc: eval "$(postil completions bash)"',
      'zsh, in ~/.zshrc below compinit: eval "$(postil completions zsh)"',
      'fish: postil completions fish > ~/.config/fish/completions/postil.fish',
    ],
    read: ({ operand }) => {
      const shell = shells.find((one) => one === operand);
      return shell === undefined ? `completions needs one of ${shells.join(', ')}.` : { shell };
    },
    run: async ({ shell }) => {
      process.stdout.write(completions(commands(), shell));
      return 0;
    },
  });
}

export function completions(commands: readonly Command[], shell: Shell): string {
  const first = commands.filter(({ name }) => !name.includes(' '));
  const known = first.map(({ name, about, operand = '', flags }): Completed => {
    const parts = commands.filter((each) => each.name.startsWith(`${name} `));
    const own = [...flags, ...parts.flatMap((part) => part.flags)];
    return {
      name,
      about: plain(about),
      words: operand === 'SHELL' ? shells : parts.map((part) => part.name.slice(name.length + 1)),
      takesFiles: /FILE|PATH|CASES/.test(operand),
      flags: [...new Map(own.map((each) => [each.name, each])).values()],
    };
  });
  const help = { name: 'help', about: 'Say all of a command and its flags', words: first.map(({ name }) => name) };
  return scripts[shell]([...known, { ...help, takesFiles: false, flags: [] }]);
}

type Completed = {
  readonly name: string;
  readonly about: string;
  /** What may stand behind it. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
  readonly flags: readonly Flag[];
};

const scripts: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = { bash, zsh, fish };

/** The first sentence, without what a shell would read. */
function plain(text: string): string {
  return text
    .split(/[.:](?: |$)/, 1)
    .join('')
    .replace(/[`"$\\]/g, '')
    .replaceAll("'", '’')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll(':', ' ');
}

function choicesOf({ value }: Flag): readonly string[] {
  return value?.choices ?? [];
}

/** Readline completes files where nothing else is known. */
function bash(commands: readonly Completed[]): string {
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap((each) =>
      choicesOf(each).length === 0 ? [] : [`    '${name} --${each.name}') words='${choicesOf(each).join(' ')}' ;;`],
    ),
  );
  const own = commands.map(
    ({ name, words, flags }) =>
      `        ${name}) if [[ $current == -* ]]; then words='${['help', ...flags.map((each) => each.name)].map((each) => `--${each}`).join(' ')}'; else words='${words.join(' ')}'; fi ;;`,
  );
  return `# Completion for bash: eval "$(postil completions bash)"
_postil() {
  local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD-1]} command= word words=
  # To readline the = of --flag=value is a word.
  if [[ $current == = ]]; then current=; elif [[ $flag == = ]]; then flag=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  case "$command $flag" in
${values.join('\n')}
    *)
      case $command in
        '') words='${commands.map(({ name }) => name).join(' ')} --help --version' ;;
${own.join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _postil postil
`;
}

function zsh(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, words, takesFiles, flags }) => {
    const kinds = [
      ...(words.length > 0 ? [`"words:word:(${words.join(' ')})"`] : []),
      ...(takesFiles ? ['"files:file:_files"'] : []),
    ];
    const operand = kinds.length === 0 ? [] : [`'*:word:_alternative ${kinds.join(' ')}'`];
    const specs = flags.map((each) => {
      const about = each.help === null ? '' : `[${plain(each.help)}]`;
      if (each.value === null) return `'--${each.name}${about}'`;
      const choices = choicesOf(each);
      return `'*--${each.name}=${about}:value:${choices.length === 0 ? '_files' : `(${choices.join(' ')})`}'`;
    });
    return `    ${name}) _arguments '--help[Print the help of it]' ${[...specs, ...operand].join(' ')} ;;`;
  });
  return `#compdef postil
# Completion for zsh: eval "$(postil completions zsh)" below compinit.
_postil() {
  if (( CURRENT == 2 )); then
    local -a known=(${commands.map(({ name, about }) => `'${name}:${about}'`).join(' ')})
    _describe command known
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _postil ]]; then _postil "$@"; else compdef _postil postil; fi
`;
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, about, words, takesFiles, flags }) => {
    const inCommand = `complete -c postil -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c postil -f -n __fish_use_subcommand -a ${name} -d '${about}'`,
      ...(takesFiles ? [] : [`${inCommand} -f`]),
      ...(words.length === 0 ? [] : [`${inCommand} -a '${words.join(' ')}'`]),
      ...flags.map((each) => {
        const choices = choicesOf(each);
        const value = each.value === null ? '' : choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`;
        return `${inCommand} -l ${each.name}${value}${each.help === null ? '' : ` -d '${plain(each.help)}'`}`;
      }),
    ];
  });
  return `# Completion for fish: postil completions fish > ~/.config/fish/completions/postil.fish
complete -c postil -l help -d 'Print the help'
complete -c postil -n __fish_use_subcommand -l version -d 'Print the version'
${lines.join('\n')}
`;
}
