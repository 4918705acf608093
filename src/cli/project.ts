/** The folder's own configuration: in effect once it is trusted, and what it may not set is named. */
import {
  describeProject,
  findProject,
  isDeclined,
  isTrusted,
  keepAnswer,
  PROJECT_SETTINGS,
  type Project,
  parseSettings,
  type Settings,
  type Source,
  tighten,
} from '../harness/index.ts';

export type ProjectSettings = {
  readonly sources: readonly Source[];
  /** The hash of what the person trusts; undefined where that is nothing. */
  readonly trusted: string | undefined;
};

export type Doorman = {
  readonly stateFolder: string;
  readonly warn: (text: string) => void;
  /** `--trust`: yes, this time. */
  readonly trust: boolean;
  /** Absent where nobody can be asked. */
  readonly ask?: ((project: Project) => Promise<boolean>) | undefined;
};

const NOTHING: ProjectSettings = { sources: [], trusted: undefined };

/** `user`: the settings that the project's may only tighten. */
export async function loadProject(cwd: string, user: Settings, doorman: Doorman): Promise<ProjectSettings> {
  const project = findProject(cwd);
  if (!project) return NOTHING;
  if (!(await mayEnter(project, doorman))) return NOTHING;
  const sources: Source[] = [];
  for (const name of PROJECT_SETTINGS) {
    const path = `${project.root}/${name}`;
    const file = project.files.find((one) => one.path === path);
    if (!file) continue;
    const source = await parseSettings(path, file.bytes.toString('utf8'));
    const { settings, refused } = tighten(source.value, user);
    if (refused.length > 0) {
      doorman.warn(
        `${path} can't set ${refused.join(', ')}: a project may only tighten what you allow. That is left out.`,
      );
    }
    sources.push({ ...source, value: settings });
  }
  return { sources, trusted: project.hash };
}

async function mayEnter(project: Project, { stateFolder, warn, trust, ask }: Doorman): Promise<boolean> {
  if (project.hash === undefined) {
    warn(`the folder's own configuration is not in effect: there is too much of it to be trusted.`);
    return false;
  }
  if (trust || isTrusted(project, stateFolder)) return true;
  if (ask && !isDeclined(project, stateFolder)) {
    const trusted = await ask(project);
    await keepAnswer(project, stateFolder, trusted);
    return trusted;
  }
  const what = describeProject(project).join('; ');
  warn(`this folder's own configuration is not in effect, because it is not trusted (${what}). With --trust it is.`);
  return false;
}
