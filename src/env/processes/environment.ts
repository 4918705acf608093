const EDITOR = `echo 'No terminal here, so no editor. Give the text as an argument (git commit -m, git rebase with \
GIT_SEQUENCE_EDITOR="sed -i ..."), or set the editor variable to a command that works alone.' >&2; false`;

/** What keeps programs from waiting for a person. A command may set its own. */
const UNATTENDED = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  EDITOR,
  VISUAL: EDITOR,
  GIT_EDITOR: EDITOR,
  GIT_SEQUENCE_EDITOR: EDITOR,
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  SUDO_ASKPASS: 'false',
};

/** Start files, shell options and another shell's directories are no business of a command. */
const NEVER = ['BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS', 'PWD', 'OLDPWD', 'CDPATH'];

/** The environment of commands: the user's, without what is `secret`, and with nothing that asks a person. */
export const unattendedEnvironment = (env: NodeJS.ProcessEnv, secret: readonly string[]): NodeJS.ProcessEnv => {
  const hidden = new Set([...secret, ...NEVER]);
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name))), ...UNATTENDED };
};
