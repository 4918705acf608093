/** Looks at what a session would stand on, one line for each thing. Nothing is changed. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../env/clock.ts';
import { createFetch } from '../env/http.ts';
import { askVersion, modeOf, versionOf } from '../env/installed.ts';
import { findPackagedRipgrep } from '../env/ripgrep.ts';
import { findSandbox } from '../env/sandbox/index.ts';
import { createCatalog, findKey, keysOf } from '../providers/index.ts';
import { readKeys, withKeys } from './credentials.ts';
import type { HarnessOptions } from './harness.ts';
import { createModels, type Models } from './models.ts';
import { extraCatalog } from './settings.ts';
import { describeProject, findProject, isDeclined, isTrusted } from './trust.ts';

/** `info` needs nobody's attention. */
export type Finding = { readonly what: string; readonly state: 'ok' | 'warn' | 'bad' | 'info'; readonly says: string };

export type DoctorOptions = Pick<
  HarnessOptions,
  'cwd' | 'settings' | 'home' | 'configFolder' | 'stateFolder' | 'variables' | 'offline' | 'trusted'
> & {
  /** Asks the model's server whether it is there; without, only this machine's own are asked. */
  readonly online: boolean;
};

const NODE = [22, 19] as const;

export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const parts = [node(), ...(await programs(options)), ...(await sandbox(options)), ...(await model(options))];
  return [...parts, ...folders(options), trust(options)];
}

const finding = (what: string, state: Finding['state'], says: string): Finding => ({ what, state, says });

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  return finding('node', fits ? 'ok' : 'bad', `${process.versions.node}${fits ? '' : `; ${NODE.join('.')} is needed`}`);
}

async function programs({ variables, cwd }: DoctorOptions): Promise<readonly Finding[]> {
  const path = variables['PATH'] ?? '';
  const git = await versionOf('git', path, [cwd]);
  const packaged = await findPackagedRipgrep();
  const ripgrep = packaged === undefined ? await versionOf('rg', path, [cwd]) : await askVersion(packaged);
  return [
    finding('git', git ? 'ok' : 'warn', git ?? 'not found: no undo, no worktrees'),
    finding('ripgrep', ripgrep ? 'ok' : 'warn', ripgrep ?? 'not found: search_files and list_files do not work'),
  ];
}

/** The same test that a session makes before its first command. */
export async function sandbox({ cwd, home, variables, stateFolder }: DoctorOptions): Promise<readonly Finding[]> {
  const base = mkdtempSync(join(tmpdir(), 'rein-doctor-'));
  try {
    const holds = join(base, 'holds');
    const temp = join(base, 'tmp');
    for (const folder of [holds, temp]) mkdirSync(folder, { mode: 0o700 });
    const walls = { root: cwd, temp, holds, home, hidden: [stateFolder] };
    const found = findSandbox(walls, { platform: process.platform, env: variables });
    if ('missing' in found) return [finding('sandbox', 'warn', found.missing)];
    const report = await found.selfTest();
    const { kind, program } = found.sandbox;
    const fix = report.fix === undefined ? '' : ` ${report.fix}`;
    const whole = report.ok ? `${kind}, ${program}` : `${kind} does not hold.${fix}`;
    return [
      finding('sandbox', report.ok ? 'ok' : 'bad', whole),
      ...report.checks.map(({ check, ok, detail }) => finding(`  ${check}`, ok ? 'ok' : 'bad', detail)),
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function model(options: DoctorOptions): Promise<readonly Finding[]> {
  const { settings, configFolder, variables } = options;
  const catalog = createCatalog(extraCatalog(settings));
  const fetch = createFetch({ proxy: variables });
  const all = withKeys(configFolder, variables);
  const { baseUrl, fallbackModel: fallback } = settings;
  const rest = { fallback, baseUrl, maxWait: 0, offline: options.offline, capped: false, clock: createClock() };
  const models = createModels({ catalog, variables: all, fetch, ...rest });
  const names = Object.entries(catalog.vendors).flatMap(
    ([name, vendor]) => findKey({ keys: keysOf(name, vendor) }, all)?.variable ?? [],
  );
  const stored = Object.keys(readKeys(configFolder));
  const keys = [...new Set(names)].map((name) => (stored.includes(name) && !variables[name] ? `${name} (file)` : name));
  const chosen = settings.model ?? (await models.find());
  return [
    finding('keys', 'info', keys.join(', ') || 'none'),
    ...(typeof chosen === 'string'
      ? await reach(chosen, models, options)
      : [finding('model', 'bad', chosen.complaint)]),
  ];
}

/** Milliseconds. */
const PATIENCE = 5000;

/** Whether anybody answers there; no key is sent. */
async function reach(name: string, models: Models, { online, offline, variables, settings }: DoctorOptions) {
  const chosen = models.choose(name);
  if (typeof chosen === 'string') return [finding('model', 'bad', chosen)];
  const { spec } = chosen;
  const url = (settings.baseUrl ?? variables[spec.baseVariable]) || spec.baseUrl;
  const host = URL.parse(url)?.hostname ?? '';
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(host);
  if (offline || (!online && !isLocal))
    return [finding('model', 'ok', `${spec.name} at ${host} (not asked; --online asks)`)];
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const fetch = createFetch({ proxy: variables });
    await fetch(url, { method: 'GET', headers: {}, body: '', signal });
    return [finding('model', 'ok', `${spec.name} at ${host}, which answers`)];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [finding('model', 'bad', `${spec.name}: ${host} does not answer (${why})`)];
  }
}

function folders({ configFolder, stateFolder }: DoctorOptions): readonly Finding[] {
  const check = (what: string, path: string, wanted: number): Finding => {
    const mode = modeOf(path);
    if (mode === undefined) return finding(what, 'info', `${path}: not there yet`);
    const open = (mode & ~wanted) !== 0;
    const fix = `others can read it: chmod ${wanted.toString(8)} ${path}`;
    return finding(what, open ? 'warn' : 'ok', `${path}, ${mode.toString(8)}${open ? `; ${fix}` : ''}`);
  };
  return [
    check('state', stateFolder, 0o700),
    check('settings file', join(configFolder, 'settings.json'), 0o644),
    check('credentials', join(configFolder, 'credentials.json'), 0o600),
  ];
}

function trust({ cwd, stateFolder, trusted }: DoctorOptions): Finding {
  const project = findProject(cwd);
  if (!project) return finding('project', 'info', 'it brings no configuration of its own');
  const what = describeProject(project).join('; ');
  if (trusted !== undefined || isTrusted(project, stateFolder)) return finding('project', 'ok', `trusted: ${what}`);
  const said = isDeclined(project, stateFolder) ? 'not trusted, as you said' : 'not trusted, so without effect';
  return finding('project', 'info', `${said}: ${what}`);
}
