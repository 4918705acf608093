/** How a program is started; a sandbox turns one launch into another and knows nothing else of processes. */
export type Launch = { readonly argv: readonly string[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv };

/** What one session's commands can reach. Paths are absolute; each stands for all below it; the deepest one wins. */
export type Walls = {
  /** The workspace: commands write here. */
  readonly root: string;
  /** An existing private folder of the session: its commands see it as `/tmp`, and find it in `TMPDIR`. */
  readonly temp: string;
  /** An existing folder of the user that all sessions share and no command can write, for names that must not come up. */
  readonly holds: string;
  /** More folders that commands write: other workspaces, a package manager's cache. */
  readonly writable?: readonly string[];
  /** Credentials, and what deny rules name: can't be read. */
  readonly hidden?: readonly string[];
  /** Can't be changed inside the workspace, whether they exist yet or not. */
  readonly protect?: readonly string[];
  /** Must not come up either, but mean something even as an empty folder: what comes up is moved aside afterwards. */
  readonly watched?: readonly string[];
  /** May be read again inside what is hidden, never written: stored outputs, the program of the door. */
  readonly readable?: readonly string[];
  /** The ways out: sockets, or folders that hold them. */
  readonly doors?: readonly string[];
  /** The user's home, for the self-test's forbidden write. */
  readonly home?: string;
};

export type Options = {
  readonly network: boolean;
  /** Nothing can be written that outlives the command. */
  readonly readonly: boolean;
};

/** `ended` must be called once when the process has exited or could not start (then without a pid). It never rejects. */
export type Wrapped = Launch & {
  /** Resolves, once all of the command is dead and its held names are free, to what a person should know. */
  readonly ended: (pid?: number) => Promise<readonly string[]>;
};

/** One line of a self-test, for people. */
export type Check = { readonly check: string; readonly ok: boolean; readonly detail: string };

/** `fix` says what to do on this system where it does not work. */
export type Report = { readonly ok: boolean; readonly checks: readonly Check[]; readonly fix?: string };

export type Sandbox = {
  readonly kind: 'bubblewrap' | 'seatbelt';
  /** The program that builds the wall. */
  readonly program: string;
  /** Throws where the walls can't be built; then nothing may run. */
  readonly wrap: (launch: Launch, options: Options) => Wrapped;
  /** Where a path that a command named stands for everybody else: a private `/tmp` is elsewhere. */
  readonly hostPath: (path: string) => string;
  /** Before somebody else writes a protected path that a person allowed: its name may be held by an empty folder. */
  readonly release: (path: string) => void;
  /** Frees held names. Call it when every process has ended. */
  readonly close: () => void;
};
