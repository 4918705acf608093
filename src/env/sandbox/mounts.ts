import { isInside } from '../inside.ts';
import { findPlace, foldersInside, type Place } from './places.ts';
import type { Options, Walls } from './types.ts';

/**
 * What stands at a path. A `pin` changes nothing, but a folder that is a mount can't be renamed, and with it whatever is
 * protected below: `mv .git x && cp -r x .git` would leave the protection behind.
 */
export type Mount = Pick<Place, 'path' | 'folder'> & { readonly how: 'pin' | 'write' | 'read' | 'protect' | 'hide' };

export type Plan = {
  /** Outer ones first, one per path. */
  readonly mounts: readonly Mount[];
  /** Must be made before the command starts: nothing can be mounted on a name that isn't there. */
  readonly absent: readonly string[];
};

/** Of two at one path the later wins. */
const STRENGTH = ['pin', 'write', 'read', 'protect', 'hide'] as const;

/** The walls as they stand at this moment, with every link resolved. */
export const planMounts = (walls: Walls, options: Options): Plan => {
  const { root, temp, writable = [], hidden = [], readable = [], doors = [], protect = [] } = walls;
  const folders = [root, ...writable];
  const areas = options.readonly ? [] : found('write', [...folders, temp]);
  const fixed = [
    ...areas,
    ...found('read', [...(options.readonly ? folders : []), ...readable, ...doors]),
    ...found('hide', hidden),
  ];
  const guards = protect.flatMap((path) => guardOf(path, areas) ?? []);
  const absent = new Set(guards.flatMap((each) => each.absent ?? []));
  const targets = [...fixed, ...guards];
  const pins = targets.flatMap(({ path }) => areas.flatMap((area) => foldersInside(area.path, path)));
  const mounts = inOrder([...targets, ...pins.map((path): Mount => ({ how: 'pin', path, folder: true }))]);
  return { mounts, absent: mounts.flatMap(({ path }) => (absent.has(path) ? path : [])) };
};

const found = (how: Mount['how'], paths: readonly string[]): readonly Mount[] =>
  paths.flatMap((path) => {
    const place = findPlace(path);
    return place && place.absent === undefined ? { how, path: place.path, folder: place.folder } : [];
  });

/** Outside of what can be written nothing needs protection. */
const guardOf = (path: string, areas: readonly Mount[]): (Mount & Place) | undefined => {
  const place = findPlace(path);
  if (!place || !areas.some((area) => area.path !== place.path && isInside(area.path, place.path))) return undefined;
  const { absent } = place;
  return absent === undefined ? { how: 'protect', ...place } : { how: 'protect', path: absent, folder: true, absent };
};

/** Sorted by length, since a shorter path is never below a longer one; without what changes nothing where it stands. */
const inOrder = (mounts: readonly Mount[]): readonly Mount[] => {
  const strongest = new Map<string, Mount>();
  for (const how of STRENGTH) {
    for (const mount of mounts) if (mount.how === how) strongest.set(mount.path, mount);
  }
  const kept: Mount[] = [];
  for (const mount of [...strongest.values()].toSorted((a, b) => a.path.length - b.path.length)) {
    const above = kept.findLast(({ path }) => isInside(path, mount.path));
    const open = above?.how === 'write' || above?.how === 'pin';
    const idle = mount.how === 'hide' ? above?.how === 'hide' : mount.how === 'pin' || mount.how === 'protect';
    if (open || !idle) kept.push(mount);
  }
  return kept;
};
