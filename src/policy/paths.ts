/** Paths, compared by their parts. Everything here is absolute. */
import { isInside } from '../env/inside.ts';
import type { Disk, Place } from './types.ts';

/** Joins and normalises; `..` and `.` are resolved by name, links are not looked at. */
export function resolve(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/**
 * The real path as the system would find it: a link in the middle is followed before `..` is applied.
 */
export function realPath(disk: Disk, folder: string, path: string): string {
  let at = path.startsWith('/') ? '/' : disk.real(folder);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    at = disk.real(resolve(at, part));
  }
  return at;
}

export function isInsideRoots({ roots, disk }: Place, path: string): boolean {
  return roots.some((root) => isInside(disk.real(root), path));
}

const DEVICES = /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|fd\/\d+|u?random)$/;
export const isHarmlessDevice = (path: string): boolean => DEVICES.test(path);

const BUILD = new Set(
  (
    'dist build out target node_modules coverage .cache .next .nuxt .turbo .parcel-cache .svelte-kit __pycache__ .pytest_cache .mypy_cache ' +
    '.ruff_cache .tox .venv venv tmp temp .tmp obj .gradle .eggs htmlcov .nyc_output _build'
  ).split(' '),
);
/** What a build makes again: below a root, in a folder of such a name. */
export function isBuildOutput(place: Place, path: string): boolean {
  const root = place.roots.map((one) => place.disk.real(one)).find((one) => isInside(one, path) && one !== path);
  return (
    root !== undefined &&
    path
      .slice(root.length + 1)
      .split('/')
      .some((part) => BUILD.has(part))
  );
}

const SECRET_NAMES =
  /^(?:\.env(?:\..+)?|\.envrc|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml|env)|service-account.*\.json)$/i;
const NO_SECRET = /^\.env\.(?:example|sample|template|dist|defaults?|schema)$|\.pub$/i;
const SECRET_FOLDERS =
  /\/\.(?:ssh|gnupg|aws|azure|kube|docker|password-store)(?:\/|$)|\/\.config\/(?:gcloud|gh)(?:\/|$)/;

/** Names of each kind, to try a pattern on. */
export const SECRET_SAMPLES: readonly string[] = (
  '.env .env.local .env.production .envrc .netrc .pgpass .npmrc .pypirc .git-credentials id_rsa id_ed25519 key.pem a.key ' +
  'credentials credentials.json secrets.json secrets.yaml service-account.json'
).split(' ');

/** Files that hold keys and passwords by their name. */
export function isSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (SECRET_NAMES.test(name) && !NO_SECRET.test(name)) || SECRET_FOLDERS.test(path);
}

const PROTECTED = new RegExp(
  '/(?:\\.git|\\.rein|\\.husky|\\.idea|\\.vscode|\\.devcontainer|\\.github/(?:workflows|actions)|\\.circleci|\\.buildkite|\\.claude|\\.agents)(?:/|$)' +
    '|/(?:\\.envrc|\\.mcp\\.json|\\.gitmodules|\\.gitconfig|\\.gitlab-ci\\.yml|\\.travis\\.yml|azure-pipelines\\.yml|Jenkinsfile|\\.pre-commit-config\\.yaml|lefthook\\.yml)$' +
    '|/(?:\\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|inputrc|tcshrc|cshrc|login|xprofile|xinitrc|npmrc|vimrc|exrc|nvimrc|tmux\\.conf))$' +
    // A file of this name is what makes a folder a repository, with a configuration that names programs.
    '|/HEAD$|/\\.config/(?:fish|autostart|systemd|environment\\.d|git)(?:/|$)|/\\.ssh(?:/|$)',
  'i',
);
/** What a program reads and obeys later, outside every question: hooks, start files, editor tasks, CI. */
export const isProtected = (path: string): boolean => PROTECTED.test(path);
export const isGitFolder = (path: string): boolean => /\/\.git(?:\/|$)/i.test(path);
