import { findPlace, foldersBetween, isInside, type Place } from './places.ts';
import type { Options, Walls } from './types.ts';

/**
 * What stands at a path. A `pin` changes nothing, but a folder that is a mount can't be renamed, and with it whatever is
 * protected below: `mv .git x && cp -r x .git` would leave the protection behind.
 */
export type Mount = Place & { readonly how: 'write' | 'pin' | 'read' | 'protect' | 'hide' };

export type Plan = {
  /** Outer ones first; one per path. */
  readonly mounts: readonly Mount[];
  /** Must be made before the command starts: nothing can be mounted on a name that isn't there. */
  readonly absent: readonly string[];
};

/** Of two that stand at one path the later wins. */
const STRENGTH = ['pin', 'write', 'read', 'protect', 'hide'] as const;

/** The walls as they stand at this moment, with every link resolved. */
export const planMounts = (walls: Walls, options: Options): Plan => {
  const areas = options.readonly ? [] : places('write', [walls.root, walls.temp, ...(walls.writable ?? [])]);
  const inAreas = (path: string): boolean => areas.some((area) => isInside(area.path, path) && area.path !== path);
  const kept = places('protect', walls.protect).filter(({ path }) => inAreas(path));
  const shown = options.readonly ? [walls.root, ...(walls.writable ?? [])] : [];
  const others = [
    ...areas,
    ...places('read', [...shown, ...(walls.readable ?? []), ...(walls.doors ?? [])]),
    ...places('hide', [...(walls.hidden ?? []), ...(options.hidden ?? [])]),
  ].filter(({ absent }) => absent === undefined);
  const absent = [...new Set(kept.flatMap((each) => each.absent ?? []))];
  const guards = [
    ...kept.filter((each) => each.absent === undefined),
    ...absent.map((path): Mount => ({ how: 'protect', path, folder: true })),
  ];
  const fixed = [...others, ...guards];
  const pins = fixed.flatMap(({ path }) => areas.flatMap((area) => foldersBetween(area.path, path)));
  return { mounts: inOrder([...pins.map((path): Mount => ({ how: 'pin', path, folder: true })), ...fixed]), absent };
};

const places = (how: Mount['how'], paths: readonly string[] = []): readonly Mount[] =>
  paths.flatMap((path) => {
    const place = findPlace(path);
    return place ? [{ how, ...place }] : [];
  });

/** A shorter path is never below a longer one. */
const inOrder = (mounts: readonly Mount[]): readonly Mount[] => {
  const strongest = new Map<string, Mount>();
  for (const how of STRENGTH) {
    for (const mount of mounts) if (mount.how === how) strongest.set(mount.path, mount);
  }
  const all = [...strongest.values()].toSorted((a, b) => a.path.length - b.path.length);
  const inHidden = ({ path, how }: Mount): boolean => {
    const above = all.findLast((other) => other.path !== path && isInside(other.path, path));
    return how === 'pin' && above?.how !== 'write' && above?.how !== 'pin';
  };
  return all.filter((mount) => !inHidden(mount));
};
