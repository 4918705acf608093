/** True where `path` is `folder` or below it, both absolute. Compared by parts: `/a/bc` is not inside `/a/b`. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
